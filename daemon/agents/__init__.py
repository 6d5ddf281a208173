"""Agents and the bus: asking for moves and advice, workers started and watched, who may join."""
