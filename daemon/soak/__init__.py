"""The proving ground: simulated tables under a seeded storm of faults, judged by what really stood on them."""
