"""Frame sources: cameras, streams, videos, folders of photos; each read by its own thread, none trusted."""
