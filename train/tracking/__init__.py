"""Where curves, sampled episodes and pictures of a run go."""
