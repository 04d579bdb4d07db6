"""Images for models with vision: re-encoded, shrunk, without their metadata; bad ones lead to a clear error."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from documents_support import checked, png_of, written
from graphwright_files import FileError
from graphwright_files.documents import ImageLimits, read_image

pytestmark = pytest.mark.usefixtures("shared_readers")


def _saved(image: Image.Image, format: str, **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, format, **options)
    return out.getvalue()


def _decoded(folder: Path, content: bytes, limits: ImageLimits | None = None) -> Image.Image:
    """The image of a file as a model sees it; the file name is meaningless."""
    picture = read_image(written(folder, "x.png", content), limits)
    image = Image.open(io.BytesIO(picture.data))
    image.load()
    assert image.format == {"image/png": "PNG", "image/jpeg": "JPEG"}[picture.media_type]
    return image


def _colour(image: Image.Image, place: tuple[int, int] = (5, 5)) -> tuple[int, ...]:
    colour = image.convert("RGB").getpixel(place)
    assert isinstance(colour, tuple)
    return colour


def _refused(folder: Path, content: bytes, limits: ImageLimits | None = None) -> FileError:
    path = written(folder, "x.png", content)
    with pytest.raises(FileError) as raised:
        read_image(path, limits)
    return checked(raised.value, path)


@pytest.mark.parametrize("format", ["PNG", "JPEG", "GIF", "WEBP", "TIFF", "BMP"])
def test_each_format_comes_out_as_png_or_jpeg(tmp_path: Path, format: str) -> None:
    shown = _decoded(tmp_path, _saved(Image.new("RGB", (40, 30), (200, 10, 10)), format))
    assert shown.format == ("JPEG" if format == "JPEG" else "PNG")
    assert shown.size == (40, 30)
    red, green, _ = _colour(shown)
    assert red > 180
    assert green < 40


def test_metadata_and_place_are_dropped_and_large_images_shrunk(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010E] = "secret words"
    exif.get_ifd(0x8825)[2] = (47.0, 32.0, 1.0)
    image = Image.new("RGB", (4_000, 1_000), "red")
    content = _saved(image, "JPEG", exif=exif, comment=b"secret words", icc_profile=b"secret words")
    assert b"secret words" in content
    shown = _decoded(tmp_path, content)
    # The camera was rotated.
    assert shown.size == (392, 1_568)
    assert not shown.getexif()
    assert set(shown.info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}
    assert b"secret" not in read_image(tmp_path / "x.png").data


def test_transparency_becomes_white(tmp_path: Path) -> None:
    clear = _saved(Image.new("RGBA", (10, 10), (0, 0, 0, 0)), "PNG")
    assert _colour(_decoded(tmp_path, clear)) == (255, 255, 255)
    assert _colour(_decoded(tmp_path, _saved(Image.new("P", (10, 10), 0), "GIF", transparency=0))) == (255, 255, 255)


def test_an_animation_gives_its_first_frame_and_a_broken_image_what_is_readable(tmp_path: Path) -> None:
    frames = [Image.new("RGB", (10, 10), colour) for colour in ("red", "green", "blue")]
    assert _colour(_decoded(tmp_path, _saved(frames[0], "GIF", save_all=True, append_images=frames[1:]))) == (255, 0, 0)
    whole = _saved(Image.effect_noise((300, 300), 100).convert("RGB"), "JPEG")
    assert _decoded(tmp_path, whole[: len(whole) // 2]).size == (300, 300)


@pytest.mark.slow
def test_it_fits_into_its_bytes(tmp_path: Path) -> None:
    noise = _saved(Image.effect_noise((700, 700), 200), "PNG")
    assert _decoded(tmp_path, noise).format == "PNG"
    small = _decoded(tmp_path, noise, ImageLimits(bytes=30_000))
    assert small.format == "JPEG"
    assert max(small.size) < 700
    assert _refused(tmp_path, noise, ImageLimits(bytes=10)).code == "too_large"


def test_a_bomb_is_not_decoded(tmp_path: Path) -> None:
    error = _refused(tmp_path, png_of(60_000, 60_000))
    assert error.code == "too_large"
    assert "60,000 x 60,000" in error.message
    # The maximum number of pixels, with almost no data: within the memory limit.
    small = ImageLimits(memory=400_000_000)
    assert _refused(tmp_path, png_of(12_000, 12_000), small).code in ("out_of_memory", "damaged_file")


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty_file"),
        (b"\0" * 1_000, "empty_file"),
        (b"text", "not_an_image"),
        (b"%PDF-1.7\n", "not_an_image"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script>x</script></svg>", "not_an_image"),
        (b"\0\0\0\x18ftypheic" + b"\0" * 50, "not_an_image"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 50, "damaged_file"),
        (b"GIF89a" + b"\1" * 50, "damaged_file"),
        (b"\xff\xd8\xff\xe0" + b"\1" * 50, "damaged_file"),
        (b"RIFF\x24\0\0\0WEBPVP8 " + b"\1" * 50, "damaged_file"),
    ],
)
def test_unusable_images(tmp_path: Path, content: bytes, code: str) -> None:
    assert _refused(tmp_path, content).code == code
