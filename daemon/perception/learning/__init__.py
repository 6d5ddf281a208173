"""Learning during play: confirmed boards become examples, better heads are taken up."""
