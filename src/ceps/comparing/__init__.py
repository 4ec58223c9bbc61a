"""Comparisons: several methods under equal budgets on repeated splits, tested alike, and what came of it."""
