"""What people ask for, on the page, by key or by `kibitzer tell`: commands, set-up requests, choices of a game."""
