"""Features of images: a frozen backbone turns each drawing into a vector, from which heads predict ratings."""
