"""Documents and their pixels: the layer model, fonts, the skia renderer, visible masks and safe image decoding."""
