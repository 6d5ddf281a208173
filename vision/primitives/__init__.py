"""Image features independent of any board: line segments, ridges, weaves, quadrangles, texture features."""
