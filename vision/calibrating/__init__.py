"""Learning a table: pictures judged, heads fitted and validated, lessons asked for, confirmed cells learnt from."""
