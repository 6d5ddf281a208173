"""Explains a reading: scores the boards that legal play allows against what is seen."""
