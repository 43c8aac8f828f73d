"""One thread, and nothing on the terminal but what a benchmark prints."""

from __future__ import annotations

import logging
import os
import warnings


def quiet() -> None:
    """Call it before anything is measured."""
    import datasets
    import torch
    import transformers

    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)  # more threads slow tiny models down
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    datasets.disable_progress_bars()
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
