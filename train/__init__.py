"""Fine-tuning of Qwen-VL models with TRL: supervised, then by the environment's reward."""
