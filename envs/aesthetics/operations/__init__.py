"""Perturbations of designs: the operations of AesEval-Bench's Algorithm 1 and the moves of its showcases."""
