"""People's ratings of drawings: reading, averaging, how reliable they are, how many are needed, and collecting them."""
