"""Agents that play the environments: the protocol (`base`), the names (`table`), and each agent in its module."""
