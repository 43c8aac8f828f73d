"""Where Crello sets the first baseline of a text, and how far a text layer must be moved to have it there.

In Crello's renderer the first baseline lies the font's ascent below the box's top, whatever the line height; a text
layer centres its letters in lines of that height.
"""

from __future__ import annotations

import math

from designgym.graphics.document import TextLayer
from designgym.graphics.skia_library import skia
from designgym.graphics.text import lay_out, layer_face


def baseline_offset(layer: TextLayer) -> tuple[float, float]:
    """How far right and down the layer must be moved, page px, for its first baseline to lie where Crello has it.

    The way turns with the layer.
    """
    ascent = -float(skia.Font(layer_face(layer).typeface, layer.size_px).getMetrics().fAscent)
    down = ascent - lay_out(layer).first_baseline
    angle = math.radians(layer.rotation_deg)
    return -down * math.sin(angle) if layer.rotation_deg else 0.0, down * math.cos(angle)
