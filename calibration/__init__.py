"""Board templates, table profiles and the guided calibration routine."""
