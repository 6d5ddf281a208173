"""Whole programs that speak the field's protocols, well or badly; tests run them as others' engines."""
