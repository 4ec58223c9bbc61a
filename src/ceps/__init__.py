"""ceps: parallel algorithm portfolios by co-evolution of parameterised search."""
