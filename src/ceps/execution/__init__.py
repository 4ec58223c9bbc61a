"""Runs and their limits. Knows no construction method."""
