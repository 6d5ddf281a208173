"""The validated settings, and what derives from them: seats and player names."""
