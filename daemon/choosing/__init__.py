"""What can be chosen for a new game, and what was chosen: data for menus, checked as the settings are."""
