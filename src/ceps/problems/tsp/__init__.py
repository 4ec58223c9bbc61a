"""The travelling salesman problem."""

from ceps.problems.tsp.instance import EdgeWeight, TspInstance
from ceps.problems.tsp.problem import Tsp

__all__ = ["EdgeWeight", "Tsp", "TspInstance"]
