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

_QUALITIES = (88, 75, 60)
_SMALLER, _LEAST_SIDE = 0.7, 4
_ORIENTATION, _LYING = 0x0112, (5, 6, 7, 8)
_DEEP = ("I", "F", "I;16", "I;16B", "I;16L", "I;16N")


def read_picture(content: bytes, kind: str, limits: ImageLimits) -> tuple[dict[str, Any], bytes]:
    """The fields of a `Picture`, and its new bytes. Raises TooMuch (pixels), and what the library raises."""
    warnings.simplefilter("ignore")
    Image.MAX_IMAGE_PIXELS = None
    broken = list[str]()
    try:
        plain, original, notes = _decoded(content, kind, limits)
    except OSError as error:
        if "truncated" not in str(error):
            raise
        ImageFile.LOAD_TRUNCATED_IMAGES = True
        plain, original, notes = _decoded(content, kind, limits)
        broken = ["The file breaks off: the lower part of the picture is missing."]
    media_type, data, size = _encoded(plain, limits, lossless=kind != "jpeg")
    notes += broken
    if size != original:
        notes.append(f"It was shrunk from {original[0]:,} x {original[1]:,} to {size[0]:,} x {size[1]:,} pixels.")
    if size != plain.size:
        notes.append(f"It did not fit into {limits.bytes:,} bytes otherwise.")
    found = {"kind": kind, "media_type": media_type, "width": size[0], "height": size[1], "original": original}
    return {**found, "notes": notes}, data


def _decoded(content: bytes, kind: str, limits: ImageLimits) -> tuple[Image.Image, tuple[int, int], list[str]]:
    """The picture in plain colours, its size before, the right way up, and notes."""
    with Image.open(io.BytesIO(content), formats=(kind.upper(),)) as image:
        width, height = image.size
        if width * height > limits.pixels:
            why = f"the image has {width:,} x {height:,} pixels; up to {limits.pixels / MB:,.0f} million are decoded"
            raise TooMuch("too_large", why, "Make it smaller, or cut out what matters, and give that.")
        frames, what = getattr(image, "n_frames", 1), "pages" if kind == "tiff" else "pictures"
        notes = [f"It holds {frames:,} {what}: only the first one was taken."] if frames > 1 else []
        # A JPEG can be decoded at a fraction of its size.
        image.draft(None, (2 * limits.side, 2 * limits.side))
        image.load()
        lying = image.getexif().get(_ORIENTATION, 1) in _LYING
        return _plain(image, limits.side), (height, width) if lying else (width, height), notes


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


def _encoded(image: Image.Image, limits: ImageLimits, *, lossless: bool) -> tuple[str, bytes, tuple[int, int]]:
    """Type, bytes and size: as PNG where nothing was lost before and it fits, else as JPEG, as good as fits."""
    if lossless and len(data := _saved(image, "PNG")) <= limits.bytes:
        return "image/png", data, image.size
    while max(image.size) >= _LEAST_SIDE:
        for quality in _QUALITIES:
            if len(data := _saved(image, "JPEG", quality=quality)) <= limits.bytes:
                return "image/jpeg", data, image.size
        side, image = int(max(image.size) * _SMALLER), image.copy()
        image.thumbnail((side, side), Image.Resampling.LANCZOS)
    raise TooMuch("too_large", f"it does not fit into {limits.bytes:,} bytes", "Raise the limit `bytes`.")


def _saved(image: Image.Image, format: str, **options: Any) -> bytes:
    # A new image has nothing but pixels: no EXIF, no colour profile, no comment.
    bare, out = Image.new(image.mode, image.size), io.BytesIO()
    bare.paste(image)
    bare.save(out, format, optimize=True, **options)
    return out.getvalue()
