"""What players see and hear: web page, overlay, window, voice."""
