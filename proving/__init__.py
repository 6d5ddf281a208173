"""What proves the program on simulated tables: demo, soak, benchmarks. Imported by nothing."""
