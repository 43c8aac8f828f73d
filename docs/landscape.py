"""A picture like a photo, painted from numbers: a lake among hills at sunset, with a sail and flowers on the shore."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from designgym.graphics.filters.noise import smooth_noise

Plane = NDArray[np.float32]


def landscape(width: int = 960, height: int = 720) -> NDArray[np.uint8]:
    """uint8 (height, width, 3); the same one at every size, finer or coarser."""
    y = np.linspace(0, 1, height, dtype=np.float32)[:, None] * np.ones(width, np.float32)
    x = np.linspace(0, 1, width, dtype=np.float32)[None] * np.ones((height, 1), np.float32)
    page = _sky(x, y, width)
    for level, roughness, color, seed in (
        (0.44, 0.30, (128, 132, 168), 1),
        (0.52, 0.22, (84, 104, 128), 2),
        (0.58, 0.14, (44, 78, 78), 3),
    ):
        ridge = (
            level
            - roughness * 0.5 * _profile(width, width * 0.3, seed)
            - 0.05 * _profile(width, width * 0.04, seed + 5)
        )
        page = _over(page, color, _soft((y - ridge) * height / 2))
    water = 0.62
    mirrored = page[np.clip((2 * water - y[:, 0]) * height, 0, water * height - 2).astype(int)]
    waves = smooth_noise((height * 6, width), width * 0.02, 9)[::6]
    lake = mirrored * 0.72 + np.array([10, 34, 58]) * 0.28 + waves[..., None] * 14
    page = np.where((y > water)[..., None], lake, page)
    shore = 0.86 + 0.05 * _profile(width, width * 0.2, 11) + 0.008 * _profile(width, width * 0.008, 12)
    grass = np.array([62, 104, 46]) + 34 * smooth_noise((height, width), width * 0.012, 13)[..., None]
    page = np.where((y > shore)[..., None], grass, page)
    picture = Image.fromarray(np.clip(page, 0, 255).astype(np.uint8))
    _things(ImageDraw.Draw(picture), width, height)
    grain = 5 * smooth_noise((height, width), max(1.0, width / 700), 14)[..., None]
    soft = np.asarray(picture.filter(ImageFilter.GaussianBlur(width / 1600)))
    return np.clip(soft + grain, 0, 255).astype(np.uint8)


def _sky(x: Plane, y: Plane, width: int) -> NDArray[np.float32]:
    top, low = np.array([70, 118, 190], np.float32), np.array([252, 190, 140], np.float32)
    page = top + (low - top) * np.clip(y / 0.5, 0, 1)[..., None]
    clouds = (
        smooth_noise((x.shape[0] * 3, width), width * 0.16, 21)[::3]
        + 0.6 * smooth_noise((x.shape[0] * 3, width), width * 0.05, 22)[::3]
    )
    page = _over(page, (255, 236, 222), np.clip(clouds * 1.4, 0, 1) * 0.75)
    away = (x - 0.68) ** 2 + (0.75 * (y - 0.3)) ** 2
    page = _over(page, (255, 224, 150), np.clip(1 - away * 16, 0, 1) ** 2 * 0.8)
    return _over(page, (255, 250, 226), _soft((0.042**2 - away) * width * 6))


def _things(draw: ImageDraw.ImageDraw, width: int, height: int) -> None:
    def at(*points: tuple[float, float]) -> list[tuple[float, float]]:
        return [(px * width, py * height) for px, py in points]

    draw.polygon(at((0.30, 0.70), (0.30, 0.46), (0.41, 0.70)), fill=(246, 240, 228))
    draw.polygon(at((0.29, 0.70), (0.29, 0.50), (0.22, 0.70)), fill=(214, 52, 44))
    draw.polygon(at((0.20, 0.715), (0.43, 0.715), (0.39, 0.755), (0.24, 0.755)), fill=(92, 52, 34))
    rng = np.random.default_rng(4)
    for _ in range(70):
        px, py, size = (
            rng.random() * width,
            (0.91 + 0.08 * rng.random()) * height,
            (0.005 + 0.006 * rng.random()) * width,
        )
        color = [(232, 60, 72), (250, 214, 60), (245, 240, 250), (176, 84, 190)][rng.integers(4)]
        draw.ellipse((px - size, py - size, px + size, py + size), fill=color)


def _profile(width: int, spacing: float, seed: int) -> Plane:
    return smooth_noise((1, width), spacing, seed)


def _soft(distance_px: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.clip(distance_px + 0.5, 0, 1)


def _over(page: NDArray[np.float32], color: tuple[int, int, int], share: NDArray[np.float32]) -> NDArray[np.float32]:
    return page + (np.array(color, np.float32) - page) * share[..., None]
