"""How portfolios are constructed: the methods, their budget, and the search for one configuration."""
