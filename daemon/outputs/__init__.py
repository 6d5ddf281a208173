"""What is seen and heard: page, overlay, window, voice."""
