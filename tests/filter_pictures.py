"""Pictures for the tests of filters: one like a photo, one cut out, both opaque or see-through as they say."""

import numpy as np
from PIL import Image, ImageFilter


def photo(width: int = 120, height: int = 90) -> np.ndarray:
    """uint8 (H, W, 4), opaque: soft light, discs of many colours, dark corners and grain."""
    y, x = np.mgrid[0:height, 0:width] / max(width, height)
    colors = np.stack([90 + 130 * x, 70 + 110 * y, 150 - 90 * x * y], axis=-1)
    rng = np.random.default_rng(5)
    for _ in range(14):
        cx, cy, r = rng.random(3)
        colors[(x - cx) ** 2 + (y - cy) ** 2 < (0.03 + 0.12 * r) ** 2] = rng.integers(0, 256, 3)
    soft = Image.fromarray(colors.astype(np.uint8)).filter(ImageFilter.GaussianBlur(max(width, height) / 200))
    grain = np.asarray(soft) + rng.normal(0, 4, (height, width, 1))
    return np.dstack([np.clip(grain, 0, 255).astype(np.uint8), np.full((height, width), 255, np.uint8)])


def cut_out(side: int = 80) -> np.ndarray:
    """uint8 (H, W, 4): a disc of the photo, soft at its edge, on nothing; what cannot be seen is pink."""
    rgba = photo(side, side)
    y, x = np.mgrid[0:side, 0:side] - (side - 1) / 2
    rgba[..., 3] = np.clip((0.4 * side - np.hypot(x, y)) * 64, 0, 255)
    rgba[rgba[..., 3] == 0, :3] = (255, 0, 200)
    return rgba
