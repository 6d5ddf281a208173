"""Fault-injection test: simulated games under seeded faults, judged by what really stood on the table."""
