"""What stands on the cells of a rectified picture: patches, descriptors, heads, and what cells say of one another."""
