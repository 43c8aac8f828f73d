"""`transformers serve`, the program itself, for tests on a machine without torchvision.

The stock processors demand torchvision for videos, so the image-only one is registered first, by transformers' own way.
"""

from __future__ import annotations

import sys

from transformers import AutoProcessor, Qwen3VLConfig
from transformers.cli.transformers import main

from designgym.agents.qwen.image_only import Qwen3VLImageOnlyProcessor

if __name__ == "__main__":
    AutoProcessor.register(Qwen3VLConfig, Qwen3VLImageOnlyProcessor, exist_ok=True)
    sys.argv = ["transformers", "serve", *sys.argv[1:]]
    main()
