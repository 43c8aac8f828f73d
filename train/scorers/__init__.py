"""Fitting scorers of drawings on ratings by people."""
