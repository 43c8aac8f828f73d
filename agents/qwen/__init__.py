"""Local Qwen-VL models: processors, box frames, the tiny model built by code and the agent."""
