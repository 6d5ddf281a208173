"""What explains a reading: the boards that legal play allows, scored against what is seen."""
