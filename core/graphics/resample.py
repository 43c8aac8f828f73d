"""Pictures drawn at another size than their own."""

from __future__ import annotations

from typing import Any

from designgym.graphics.skia_library import skia


def draw_resampled(canvas: Any, picture: Any, source: Any, target: Any, scale: float) -> None:
    """Draw a part of a picture into a rectangle of a canvas that has the rendering scale already."""
    shrink = min(target.width() / source.width(), target.height() / source.height()) * scale
    # The strict constraint would switch mip maps off.
    fast = skia.Canvas.kFast_SrcRectConstraint
    canvas.drawImageRect(picture, source, target, _sampling(shrink), skia.Paint(AntiAlias=True), fast)


def draw_as_is(canvas: Any, picture: Any, target: Any) -> None:
    """Draw a picture that has the rectangle's size already: exactly, unless it is turned or lies between pixels."""
    whole = skia.Rect.MakeWH(picture.width(), picture.height())
    linear = skia.SamplingOptions(skia.FilterMode.kLinear)
    canvas.drawImageRect(picture, whole, target, linear, skia.Paint(AntiAlias=True))


def _sampling(factor: float) -> Any:
    """Mip maps when the picture shrinks (no aliasing), bicubic when it grows."""
    if factor < 1:
        return skia.SamplingOptions(skia.FilterMode.kLinear, skia.MipmapMode.kLinear)
    return skia.SamplingOptions(skia.CubicResampler.Mitchell())
