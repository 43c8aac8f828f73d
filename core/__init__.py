"""Environments in which agents draw, design and judge designs."""
