"""Contract suites and small test doubles for people who add problems, solvers, executors or methods."""
