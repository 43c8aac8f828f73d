"""What holds for every test: no network, no account, one thread."""

import functools
import os

import pytest
from hypothesis import settings

# Before anything imports torch or a hub client.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_OFFLINE"] = "1"
os.environ["HF_DATASETS_OFFLINE"] = "1"
os.environ["WANDB_MODE"] = "offline"
os.environ["WANDB_SILENT"] = "true"
os.environ.pop("WANDB_API_KEY", None)

# Time limits of single examples fail on a busy machine; tests that hold a time measure it themselves.
settings.register_profile("designgym", deadline=None)
settings.load_profile("designgym")


@pytest.fixture(scope="session")
def stock_folder(tmp_path_factory):
    """Folders in the published layout by ``model_type``, each written once: what to ask for them with."""
    from qwen_stock import write_stock_folder

    @functools.cache
    def folder(model_type):
        return write_stock_folder(tmp_path_factory.mktemp("families") / model_type, model_type)

    return folder
