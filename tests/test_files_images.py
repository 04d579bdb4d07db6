"""Images for models that see: re-encoded, shrunk, without their metadata; bad ones end in a clear error."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from documents_support import checked, png_of, written
from PIL import Image

from graphwright.files import FileError
from graphwright.files.documents import ImageLimits, Picture, read_image


def _image(mode: str, size: tuple[int, int], colour: Any, format: str, **options: Any) -> bytes:
    out = io.BytesIO()
    Image.new(mode, size, colour).save(out, format, **options)
    return out.getvalue()


def _shown(picture: Picture) -> Image.Image:
    image = Image.open(io.BytesIO(picture.data))
    image.load()
    assert image.size == (picture.width, picture.height)
    assert image.format == {"image/png": "PNG", "image/jpeg": "JPEG"}[picture.media_type]
    return image


def _colour(image: Image.Image, place: tuple[int, int]) -> tuple[int, ...]:
    colour = image.convert("RGB").getpixel(place)
    assert isinstance(colour, tuple)
    return colour


def _refused(path: Path, limits: ImageLimits | None = None) -> FileError:
    with pytest.raises(FileError) as raised:
        read_image(path, limits)
    return checked(raised.value, path)


@pytest.mark.parametrize("format", ["PNG", "JPEG", "GIF", "WEBP", "TIFF", "BMP"])
def test_each_format_comes_out_as_png_or_jpeg(tmp_path: Path, format: str) -> None:
    picture = read_image(written(tmp_path, "x.png", _image("RGB", (40, 30), (200, 10, 10), format)))
    assert picture.kind == format.lower()
    assert picture.media_type == ("image/jpeg" if format == "JPEG" else "image/png")
    assert (picture.width, picture.height, picture.original) == (40, 30, (40, 30))
    red, green, _ = _colour(_shown(picture), (20, 15))
    assert red > 180
    assert green < 40
    assert bool(picture.notes) == (format != "PNG")


def test_a_large_image_is_shrunk_and_says_so(tmp_path: Path) -> None:
    picture = read_image(written(tmp_path, "x.jpg", _image("RGB", (4_000, 1_000), "red", "JPEG")))
    assert (picture.width, picture.height, picture.original) == (1_568, 392, (4_000, 1_000))
    assert picture.notes == ("It was shrunk from 4,000 x 1,000 to 1,568 x 392 pixels.",)
    assert max(_shown(picture).size) == 1_568


def test_metadata_and_place_are_dropped(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010E] = "secret words"
    exif.get_ifd(0x8825)[2] = (47.0, 32.0, 1.0)
    content = _image("RGB", (60, 20), "red", "JPEG", exif=exif, comment=b"secret words", icc_profile=b"secret words")
    assert b"secret words" in content
    picture = read_image(written(tmp_path, "x.jpg", content))
    # The camera lay on its side.
    assert (picture.width, picture.height, picture.original) == (20, 60, (20, 60))
    image = _shown(picture)
    assert not image.getexif()
    assert set(image.info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}
    assert b"secret" not in picture.data


def test_what_is_transparent_is_white(tmp_path: Path) -> None:
    picture = read_image(written(tmp_path, "x.png", _image("RGBA", (10, 10), (0, 0, 0, 0), "PNG")))
    assert _colour(_shown(picture), (5, 5)) == (255, 255, 255)
    image = Image.new("P", (10, 10), 0)
    image.info["transparency"] = 0
    out = io.BytesIO()
    image.save(out, "GIF", transparency=0)
    picture = read_image(written(tmp_path, "x.gif", out.getvalue()))
    assert _colour(_shown(picture), (5, 5)) == (255, 255, 255)


def test_printing_colours_and_deep_grey(tmp_path: Path) -> None:
    picture = read_image(written(tmp_path, "x.jpg", _image("CMYK", (10, 10), (0, 255, 255, 0), "JPEG")))
    red, green, blue = _colour(_shown(picture), (5, 5))
    assert red > 200
    assert max(green, blue) < 90
    deep = Image.new("I;16", (256, 4))
    deep.putdata([1_000 + column * 10 for _ in range(4) for column in range(256)])
    for format in ("PNG", "TIFF"):
        out = io.BytesIO()
        deep.save(out, format)
        grey = _shown(read_image(written(tmp_path, f"deep.{format.lower()}", out.getvalue())))
        assert grey.mode == "L"
        assert _colour(grey, (0, 0))[0] == 0
        assert _colour(grey, (255, 0))[0] >= 254
        assert 120 < _colour(grey, (128, 0))[0] < 135


def test_of_a_moving_picture_the_first_one(tmp_path: Path) -> None:
    frames = [Image.new("RGB", (10, 10), colour) for colour in ("red", "green", "blue")]
    out = io.BytesIO()
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:])
    picture = read_image(written(tmp_path, "x.gif", out.getvalue()))
    assert picture.notes == ("It holds 3 pictures: only the first one was taken.",)
    assert _colour(_shown(picture), (5, 5)) == (255, 0, 0)


@pytest.mark.slow
def test_it_fits_into_its_bytes(tmp_path: Path) -> None:
    noise = Image.effect_noise((700, 700), 200)
    out = io.BytesIO()
    noise.save(out, "PNG")
    path = written(tmp_path, "x.png", out.getvalue())
    assert read_image(path).media_type == "image/png"
    picture = read_image(path, ImageLimits(bytes=30_000))
    assert picture.media_type == "image/jpeg"
    assert len(picture.data) <= 30_000
    assert max(picture.width, picture.height) < 700
    assert any("30,000 bytes" in note for note in picture.notes)
    assert _refused(path, ImageLimits(bytes=10)).code == "too_large"


def test_a_bomb_is_not_decoded(tmp_path: Path) -> None:
    error = _refused(written(tmp_path, "x.png", png_of(60_000, 60_000)))
    assert error.code == "too_large"
    assert "60,000 x 60,000" in error.message
    # As many as may be, and nothing of them in the file: within the limits on memory.
    small = ImageLimits(memory=400_000_000)
    assert _refused(written(tmp_path, "y.png", png_of(12_000, 12_000)), small).code in ("out_of_memory", "damaged_file")


def test_a_file_that_breaks_off_is_shown_as_far_as_it_goes(tmp_path: Path) -> None:
    whole = io.BytesIO()
    Image.effect_noise((300, 300), 100).convert("RGB").save(whole, "JPEG")
    content = whole.getvalue()
    picture = read_image(written(tmp_path, "x.jpg", content[: len(content) // 2]))
    assert picture.notes == ("The file breaks off: the lower part of the picture is missing.",)
    assert _shown(picture).size == (300, 300)


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
    assert _refused(written(tmp_path, "x.png", content)).code == code


def test_the_name_decides_nothing(tmp_path: Path) -> None:
    picture = read_image(written(tmp_path, "x.png", _image("RGB", (4, 4), "red", "JPEG")))
    assert picture.kind == "jpeg"
    assert picture.notes == ("The name ends in .png, but the content is a JPEG image; it was read as that.",)
