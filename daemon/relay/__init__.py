"""Relays: the games of a record, sent to where people follow them."""
