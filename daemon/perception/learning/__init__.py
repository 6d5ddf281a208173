"""Learning during play: confirmed boards become examples, and better heads replace the present one."""
