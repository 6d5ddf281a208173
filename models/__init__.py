"""What was learnt: weights, the manifest that vouches for them, and the recipes that made them (`train/`)."""
