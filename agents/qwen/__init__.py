"""Local Qwen-VL models as agents: processors, box frames per family, and the tiny model that is built by code."""
