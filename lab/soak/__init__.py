"""Fault-injection test: simulated games under seeded faults, judged by the simulated table's true state."""
