"""GraphicBench's fidelity as its scripts compute it: whether given pictures match anywhere, in grey, at their own size.

Kept for comparison with published numbers alone. The correlation is not taken about the mean, so that anything bright
matches anything bright: most pictures match a blank page.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from designgym.episode import Episode
from designgym.graphics.render import render
from designgym.rewards.base import EpisodeReward
from designgym.rewards.given import check_given, given_pictures
from designgym.score import Backend

THRESHOLD = 0.9

_GREY = np.array([0.299, 0.587, 0.114])


@dataclass(frozen=True)
class TemplateMatch(EpisodeReward):
    """The share of the given pictures whose normalised cross-correlation with the page is above .9 anywhere.

    The page has its own size where there is a document; transparent parts of pictures are taken as white. A picture
    larger than the page does not match. Nothing but for comparison: **a blank page passes**. None without given
    pictures or without the pixels of one.

    Args:
        pool: The pool that given pictures are from, see ``designgym.pool.resolve``.
    """

    name = "template_match"
    backend = Backend("ccorr-normed", "1")

    pool: str = "embedded"

    def check(self, episode: Episode) -> None:
        """Refuse environments that hand out no pictures."""
        check_given(self.name, episode)

    def value(self, episode: Episode) -> float | None:
        """See the class."""
        page = episode.image if episode.document is None else render(episode.document)
        pictures = given_pictures(episode, self.pool)
        if page is None or not pictures or any(picture.pixels is None for picture in pictures):
            return None
        grey = page @ _GREY if page.ndim == 3 else page.astype(np.float64)
        matches = [best_response(grey, _flat(picture.pixels)) > THRESHOLD for picture in pictures]
        return sum(matches) / len(matches)


def best_response(page: NDArray[np.float64], template: NDArray[np.float64]) -> float:
    """The greatest response of OpenCV's ``TM_CCORR_NORMED``: sum(T I) / sqrt(sum(T^2) sum(I^2)) over all places.

    Args:
        page: Grey, H x W.
        template: Grey, h x w; larger than the page on a side: 0.

    Returns:
        0 to 1; 0 where either is black all over.
    """
    height, width = template.shape
    if height > page.shape[0] or width > page.shape[1]:
        return 0.0
    shape = page.shape
    # A circular correlation of the page's own size is exact where the template does not wrap around.
    product = np.fft.irfft2(np.fft.rfft2(page) * np.conj(np.fft.rfft2(template, s=shape)), s=shape)
    valid = product[: shape[0] - height + 1, : shape[1] - width + 1]
    sums = np.zeros((shape[0] + 1, shape[1] + 1))
    sums[1:, 1:] = (page**2).cumsum(axis=0).cumsum(axis=1)
    energy = sums[height:, width:] - sums[:-height, width:] - sums[height:, :-width] + sums[:-height, :-width]
    power = float((template**2).sum())
    norm = np.sqrt(np.maximum(energy, 0) * power)
    return float(np.divide(valid, norm, out=np.zeros_like(valid), where=norm > 1e-6).clip(0, 1).max())


def _flat(pixels: NDArray[np.uint8] | None) -> NDArray[np.float64]:
    assert pixels is not None
    alpha = pixels[..., 3:] / 255
    flat: NDArray[np.float64] = (255 + alpha * (pixels[..., :3] - 255.0)) @ _GREY
    return flat
