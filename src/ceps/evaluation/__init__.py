"""The test protocol: how good a portfolio is on instances it has not seen."""
