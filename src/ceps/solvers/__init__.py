"""Parameterised solvers."""
