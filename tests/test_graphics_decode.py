"""Image files: what comes out of every kind, and what refuses without being decoded."""

import io
import struct
import tracemalloc
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from designgym.graphics.assets import asset_image, forget_pictures
from designgym.graphics.decode import MAX_BYTES, MAX_PIXELS, Decoded, DecodeError, decode_image


def encode(image: Image.Image, kind: str = "PNG", **options) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def over_white(decoded: Decoded, x: int, y: int) -> list[int]:
    *color, alpha = decoded.pixels[y, x].astype(float)
    return [round(255 + (part - 255) * alpha / 255) for part in color]


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def raw_png(width: int, height: int, bits: int, color_type: int, rows: bytes, extra: bytes = b"") -> bytes:
    """A PNG put together by hand; ``rows`` is the unfiltered picture data with a 0 before every row."""
    header = struct.pack(">IIBBBBB", width, height, bits, color_type, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + extra
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize(
    ("kind", "options"),
    [("PNG", {}), ("WEBP", {"lossless": True}), ("JPEG", {"quality": 95}), ("GIF", {})],
)
def test_every_format_gives_straight_rgba(kind, options):
    decoded = decode_image(encode(Image.new("RGB", (5, 3), (200, 30, 60)), kind, **options))
    assert (decoded.pixels.shape, decoded.pixels.dtype) == ((3, 5, 4), np.uint8)
    assert np.abs(decoded.pixels[1, 1].astype(int) - [200, 30, 60, 255]).max() <= 3
    assert decoded.notes == ()


def test_half_transparent_pixels_keep_their_full_colour():
    assert decode_image(encode(Image.new("RGBA", (2, 2), (200, 100, 50, 64)))).pixels[0, 0].tolist() == [
        200,
        100,
        50,
        64,
    ]


# The mark is the red square at (0,0)-(19,19) of a 60 x 40 picture: where it must come out, by the tag of EXIF 2.32.
@pytest.mark.parametrize(
    ("orientation", "size", "mark"),
    [
        (1, (60, 40), (0, 0)),
        (2, (60, 40), (40, 0)),
        (3, (60, 40), (40, 20)),
        (4, (60, 40), (0, 20)),
        (5, (40, 60), (0, 0)),
        (6, (40, 60), (20, 0)),
        (7, (40, 60), (20, 40)),
        (8, (40, 60), (0, 40)),
    ],
)
def test_the_orientation_tag_of_a_photo_is_applied_once(orientation, size, mark):
    photo = Image.new("RGB", (60, 40), "white")
    photo.paste((255, 0, 0), (0, 0, 20, 20))
    exif = Image.Exif()
    exif[0x0112] = orientation
    decoded = decode_image(encode(photo, "JPEG", quality=95, exif=exif))
    assert decoded.pixels.shape[1::-1] == size
    red = (decoded.pixels[..., 0] > 200) & (decoded.pixels[..., 1] < 60)
    assert (int(red.any(0).argmax()), int(red.any(1).argmax())) == mark
    assert any("orientation" in note for note in decoded.notes) == (orientation != 1)
    again = decode_image(encode(Image.fromarray(decoded.pixels).convert("RGB"), "JPEG", quality=95))
    assert again.pixels.shape == decoded.pixels.shape


@pytest.mark.parametrize("block", [b"Exif\x00\x00MM\x00*garbage!", b"Exif\x00\x00" + b"\xff" * 40, b"Exif\x00\x00II"])
def test_a_photo_with_a_broken_exif_block_is_read_as_stored_with_a_note(block):
    decoded = decode_image(encode(Image.new("RGB", (6, 4)), "JPEG", exif=block))
    assert decoded.pixels.shape == (4, 6, 4)
    assert "EXIF block is broken" in decoded.notes[0]


def palette_picture() -> Image.Image:
    image = Image.new("P", (20, 20), 0)
    image.putpalette([255, 0, 0, 0, 0, 255])
    image.paste(1, (5, 5, 15, 15))
    return image


def test_a_transparent_palette_entry_shows_the_page():
    decoded = decode_image(encode(palette_picture(), transparency=0))
    assert over_white(decoded, 0, 0) == [255, 255, 255]
    assert over_white(decoded, 10, 10) == [0, 0, 255]


def test_palette_alpha_is_graded():
    decoded = decode_image(encode(palette_picture(), transparency=bytes([0, 128])))
    assert over_white(decoded, 0, 0) == [255, 255, 255]
    assert over_white(decoded, 10, 10) == pytest.approx([127, 127, 255], abs=1)


def test_a_colour_key_makes_its_colour_transparent():
    image = Image.new("RGB", (4, 4), (0, 128, 0))
    image.putpixel((1, 1), (0, 129, 0))
    alpha = decode_image(encode(image, transparency=(0, 128, 0))).pixels[..., 3]
    assert alpha[1, 1] == 255
    assert alpha.sum() == 255


@pytest.mark.parametrize("bits", [1, 2, 4, 8, 16])
def test_a_grey_key_is_compared_at_the_depth_of_the_file(bits):
    # Two pixels, 0 and the highest value, which is the key.
    top = 2**bits - 1
    row = {1: b"\x40", 2: b"\x30", 4: b"\x0f", 8: b"\x00\xff", 16: b"\x00\x00\xff\xff"}[bits]
    data = raw_png(2, 1, bits, 0, b"\x00" + row, chunk(b"tRNS", struct.pack(">H", top)))
    assert decode_image(data).pixels[0].tolist() == [[0, 0, 0, 255], [255, 255, 255, 0]]


def test_sixteen_bit_grey_is_scaled_not_clipped():
    row = struct.pack(">3H", 0, 0x8000, 0xFFFF)
    decoded = decode_image(raw_png(3, 1, 16, 0, b"\x00" + row))
    assert decoded.pixels[0, :, 0].tolist() == [0, 128, 255]
    assert "16 bits" in decoded.notes[0]


def test_sixteen_bit_colour_with_a_key_and_with_alpha():
    row = struct.pack(">6H", 0xFFFF, 0, 0x8000, 0x1234, 0x5678, 0x9ABC)
    key = chunk(b"tRNS", struct.pack(">3H", 0x1234, 0x5678, 0x9ABC))
    pixels = decode_image(raw_png(2, 1, 16, 2, b"\x00" + row, key)).pixels
    assert pixels[0].tolist() == [[255, 0, 128, 255], [0x12, 0x56, 0x9A, 0]]
    row = struct.pack(">4H", 0xFFFF, 0, 0x8000, 0x4000)
    assert decode_image(raw_png(1, 1, 16, 6, b"\x00" + row)).pixels[0, 0].tolist() == [255, 0, 128, 64]


def test_grey_with_alpha():
    assert decode_image(encode(Image.new("LA", (2, 2), (90, 60)))).pixels[0, 0].tolist() == [90, 90, 90, 60]


def test_cmyk_comes_out_in_its_colours():
    red = decode_image(encode(Image.new("CMYK", (8, 8), (0, 255, 255, 0)), "JPEG", quality=95)).pixels[4, 4]
    assert red[0] >= 250
    assert max(red[1:3]) <= 5
    assert red[3] == 255


@pytest.mark.parametrize(("kind", "options"), [("GIF", {}), ("WEBP", {"lossless": True}), ("PNG", {})])
def test_of_an_animation_the_first_frame_is_taken_and_the_rest_counted(kind, options):
    frames = [Image.new("RGB", (30, 30), color) for color in ("red", "blue", "lime")]
    data = encode(frames[0], kind, save_all=True, append_images=frames[1:], duration=50, **options)
    decoded = decode_image(data)
    assert decoded.pixels[10, 10].tolist() == [255, 0, 0, 255]
    assert "2 further" in decoded.notes[0]


def test_content_decides_over_the_extension_and_a_wrong_one_is_noted():
    data = encode(Image.new("RGB", (3, 3)), "JPEG")
    assert decode_image(data, "photo.JPG").notes == ()
    assert decode_image(data, "photo").notes == ()
    assert "'photo.png' but is a JPEG" in decode_image(data, "photo.png").notes[0]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"hello world", "not a PNG, JPEG, WebP or GIF"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "is SVG"),
        (encode(Image.new("RGB", (3, 3)), "BMP"), "not a PNG, JPEG, WebP or GIF"),
        (encode(Image.new("RGB", (3, 3)), "TIFF"), "not a PNG, JPEG, WebP or GIF"),
        (b"x" * (MAX_BYTES + 1), "at most 20,971,520"),
        (raw_png(30_000, 30_000, 8, 2, b""), "at most 50,000,000 pixels"),
        (raw_png(10_000, 9_000, 8, 2, b""), "at most 50,000,000 pixels"),
        (raw_png(2**31 - 1, 2**31 - 1, 8, 2, b""), "50,000,000 pixels"),
        (raw_png(40_000, 2, 8, 2, b""), "a side may have at most 32,767"),
        (raw_png(100, 100, 8, 2, b"\x00" * 50), "damaged or cut off"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)
def test_what_cannot_be_read_is_a_sentence(data, message):
    with pytest.raises(DecodeError, match=message):
        decode_image(data)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_a_file_cut_off_anywhere_is_an_error_never_another_picture(kind):
    noise = np.random.default_rng(0).integers(0, 256, (40, 40, 3), dtype=np.uint8)
    data = encode(Image.fromarray(noise), kind)
    for length in range(1, len(data) - 20, max(1, len(data) // 25)):
        with pytest.raises(DecodeError):
            decode_image(data[:length])


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(["PNG", "JPEG", "WEBP", "GIF"]),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), max_size=8),
)
def test_damaged_files_decode_or_raise_decode_error_and_nothing_else(kind, damage):
    data = bytearray(encode(Image.new("RGB", (16, 16), (9, 99, 199)), kind))
    for place, value in damage:
        data[min(len(data) - 1, int(place * len(data)))] = value
    try:
        assert decode_image(bytes(data)).pixels.shape[2] == 4
    except DecodeError as error:
        assert str(error).endswith((".", ")."))


def test_a_bomb_is_refused_before_it_is_unpacked():
    bomb = raw_png(50_000, 50_000, 8, 2, b"\x00" * 10_000_000)
    tracemalloc.start()
    with pytest.raises(DecodeError, match=f"{MAX_PIXELS:,}"):
        decode_image(bomb)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000


def test_a_warning_of_pillow_reaches_nobody(recwarn):
    with pytest.raises(DecodeError):
        decode_image(raw_png(10_000, 10_000, 8, 2, b""))
    assert len(recwarn) == 0


def test_decoded_assets_are_kept_and_can_be_forgotten():
    data = encode(Image.new("RGB", (7, 5), "red"))
    first = asset_image(data)
    assert asset_image(bytes(bytearray(data))) is first
    forget_pictures()
    again = asset_image(data)
    assert again is not first
    assert (again.width(), again.height()) == (7, 5)


def test_kept_assets_stay_within_their_budget(monkeypatch):
    monkeypatch.setattr("designgym.graphics.assets.BUDGET_BYTES", 3_000_000)
    forget_pictures()
    files = [encode(Image.new("RGB", (500, 500), (shade, 0, 0))) for shade in (10, 20, 30)]  # 1.3 MB each, decoded
    first, second, third = (asset_image(data) for data in files)
    assert asset_image(files[1]) is second
    assert asset_image(files[2]) is third
    assert asset_image(files[0]) is not first
    forget_pictures()
