"""What a training run needs of its machines, told before it starts: memory, tokens and the arithmetic of batches."""
