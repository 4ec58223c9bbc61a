"""The run history and the journal of one run directory: one SQLite file, one writer."""

from ceps.store.rows import BestSolution, JournalEntry, RecordedRun, Reference, StoredInstance, Totals
from ceps.store.rules import Answer, Execution, answer, normalise
from ceps.store.store import ReplayError, Store

__all__ = [
    "Answer",
    "BestSolution",
    "Execution",
    "JournalEntry",
    "RecordedRun",
    "Reference",
    "ReplayError",
    "Store",
    "StoredInstance",
    "Totals",
    "answer",
    "normalise",
]
