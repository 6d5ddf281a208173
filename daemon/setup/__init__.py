"""Table set-up from the page: corners, guided calibration, the menu of games."""
