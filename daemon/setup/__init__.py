"""Setting up a table from the page: corners, guided calibration, the menu of games."""
