"""Agents that play the environments: random, scripted and language models."""
