"""Images: decoded within limits, turned the right way up, shrunk, and encoded anew: the pixels and nothing else."""

from __future__ import annotations

import io
import warnings
from typing import Any

from PIL import Image, ImageFile, ImageOps

from graphwright.files.errors import TooMuch
from graphwright.files.limits import MB, ImageLimits

READ = ("png", "jpeg", "gif", "webp", "tiff", "bmp")
"""The kinds that are decoded; for Pillow each is the name in capitals."""

_QUALITY, _SMALLER, _LEAST_SIDE = 85, 0.7, 4
_DEEP = ("I", "F", "I;16", "I;16B", "I;16L", "I;16N")


def read_picture(content: bytes, kind: str, limits: ImageLimits) -> tuple[str, bytes]:
    """The media type and the new bytes. Raises TooMuch (pixels), and what the library raises.

    Of several pictures in a file the first one; of a file that breaks off what there is.
    """
    warnings.simplefilter("ignore")
    Image.MAX_IMAGE_PIXELS = None
    ImageFile.LOAD_TRUNCATED_IMAGES = True
    with Image.open(io.BytesIO(content), formats=(kind.upper(),)) as image:
        width, height = image.size
        if width * height > limits.pixels:
            why = f"the image has {width:,} x {height:,} pixels; up to {limits.pixels / MB:,.0f} million are decoded"
            raise TooMuch("too_large", why, "Make it smaller, or cut out what matters, and give that.")
        # A JPEG can be decoded at a fraction of its size.
        image.draft(None, (2 * limits.side, 2 * limits.side))
        image.load()
        plain = _plain(image, limits.side)
    # As PNG where nothing was lost before and it fits, else as a JPEG that does.
    if kind != "jpeg" and len(data := _saved(plain, "PNG")) <= limits.bytes:
        return "image/png", data
    while max(plain.size) >= _LEAST_SIDE:
        if len(data := _saved(plain, "JPEG", quality=_QUALITY)) <= limits.bytes:
            return "image/jpeg", data
        side = int(max(plain.size) * _SMALLER)
        plain.thumbnail((side, side), Image.Resampling.LANCZOS)
    raise TooMuch("too_large", f"it does not fit into {limits.bytes:,} bytes", "Raise the limit `bytes`.")


def _plain(image: Image.Image, side: int) -> Image.Image:
    """Red, green and blue or grey in 8 bits each, shrunk, the right way up, on white where it is transparent."""
    orientation = image.getexif().tobytes()
    if image.mode in _DEEP:
        # From the darkest to the brightest, for sensors use a part of their range only.
        image = image.convert("F")
        low, high = (float(end) for end in image.getextrema())  # type: ignore[arg-type]
        factor = 255.0 / (high - low) if high > low else 0.0
        image = image.point(lambda value: value * factor + -low * factor).convert("L")
    clear = image.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info
    if clear:
        image = image.convert("RGBA")
    elif image.mode not in ("RGB", "L"):
        image = image.convert("L" if image.mode == "1" else "RGB")
    image.info["exif"] = orientation
    image = ImageOps.exif_transpose(image)
    # In steps of whole pixels first: the rest is then a small picture, however large it was.
    image.thumbnail((side, side), Image.Resampling.LANCZOS, reducing_gap=2.0)
    if clear:
        ground = Image.new("RGB", image.size, "white")
        ground.paste(image, mask=image.getchannel("A"))
        return ground
    return image


def _saved(image: Image.Image, format: str, **options: Any) -> bytes:
    # A new image has nothing but pixels: no EXIF, no colour profile, no comment.
    bare, out = Image.new(image.mode, image.size), io.BytesIO()
    bare.paste(image)
    bare.save(out, format, optimize=True, **options)
    return out.getvalue()
