"""Programs that speak the usual engine protocols, correctly or badly; tests run them as external engines."""
