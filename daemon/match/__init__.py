"""The match: records the referee's decisions first, then announces them."""
