"""The laboratory: simulated table, demo, soak, benches, films, training. No other package imports it."""
