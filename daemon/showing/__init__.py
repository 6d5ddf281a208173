"""What is seen of a table: the overlay, the page for browsers, the window."""
