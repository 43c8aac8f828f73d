"""QR codes as image files: crisp at any size, with the quiet margin that readers need."""

from __future__ import annotations

import io
from functools import lru_cache

import numpy as np
import segno
from PIL import Image

from designgym.envs.design.failure import Failed

MODULE_PX = 8
MARGIN = 4
"""Modules of white around the code (ISO/IEC 18004, 9.1)."""


@lru_cache(maxsize=32)
def qr_png(text: str) -> bytes:
    """A PNG file of the text's QR code, error correction M, black on white.

    Raises:
        Failed: If the text is more than a code can hold.
    """
    try:
        code = segno.make_qr(text, error="m", boost_error=False)
    except segno.DataOverflowError:
        size = len(text.encode())
        raise Failed("limit", f"linkURL has {size} bytes; a QR code can hold some 2,300 of them.") from None
    except ValueError as error:
        raise Failed("invalid_parameters", f"linkURL cannot be written as a QR code: {error}.") from None
    dark = np.pad(np.array([list(row) for row in code.matrix], np.uint8), MARGIN)
    grey = np.kron(1 - dark, np.full((MODULE_PX, MODULE_PX), 255, np.uint8))
    stream = io.BytesIO()
    Image.fromarray(grey).save(stream, "PNG", compress_level=6)
    return stream.getvalue()
