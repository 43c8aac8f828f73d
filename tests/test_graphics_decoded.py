"""Decoded pixels are kept by content, within a budget, and are those that decoding gives."""

import io

import numpy as np
import pytest
from PIL import Image

from designgym.envs.aesthetics.operations.raster import encoded
from designgym.graphics import decoded
from designgym.graphics.decode import DecodeError, decode_image
from designgym.graphics.decoded import forget, pixels_of, remember


def png(fill: int, side: int = 300) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGBA", (side, side), (fill, 1, 2, 200)).save(buffer, "PNG")
    return buffer.getvalue()


def test_pixels_are_known_by_content() -> None:
    forget()
    first = pixels_of(png(7))
    assert pixels_of(bytes(bytearray(png(7)))) is first
    assert np.array_equal(first, decode_image(png(7)).pixels)
    forget()
    assert pixels_of(png(7)) is not first


def test_what_was_just_encoded_is_known_as_it_would_be_read() -> None:
    forget()
    noise = np.random.default_rng(0).integers(0, 256, (40, 30, 4), np.uint8)
    data = encoded(Image.fromarray(noise))
    assert np.array_equal(decode_image(data).pixels, noise)
    assert np.array_equal(pixels_of(data), noise)


def test_the_budget_holds_and_the_latest_stay() -> None:
    forget()
    files = [png(n) for n in range(60)]
    for data in files:
        pixels_of(data)
    assert sum(pixels.nbytes + len(data) for data, pixels in decoded._kept.items()) == decoded._cost
    assert decoded._cost <= decoded.BUDGET_BYTES
    assert files[-1] in decoded._kept and files[0] not in decoded._kept
    remember(b"huge", np.zeros((2000, 2000, 4), np.uint8))
    assert b"huge" not in decoded._kept
    forget()


def test_a_file_that_cannot_be_read_is_not_kept() -> None:
    with pytest.raises(DecodeError):
        pixels_of(b"no picture")
    assert b"no picture" not in decoded._kept
