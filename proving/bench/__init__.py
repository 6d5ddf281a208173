"""What the program costs, measured on the machine at hand."""
