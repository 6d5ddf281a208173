"""Agents and the message bus: requests for moves and hints, worker processes, and access keys."""
