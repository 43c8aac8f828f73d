"""What the benchmarks of training share: trainers made from configurations, scripted replies, clocks and tables."""
