"""The vehicle routing problem with simultaneous pickup and delivery and time windows."""

from ceps.problems.vrpspdtw.instance import VrpspdtwInstance
from ceps.problems.vrpspdtw.problem import Vrpspdtw

__all__ = ["Vrpspdtw", "VrpspdtwInstance"]
