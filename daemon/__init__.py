"""The running program: command line, pipeline, move detection, referee, bus, journal, speech, overlay, web page."""
