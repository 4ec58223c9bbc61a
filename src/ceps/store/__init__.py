"""The run history and the journal of one run directory: one SQLite file, one writer."""

from ceps.store.rows import BestSolution, JournalEntry, RecordedRun, Reference, Sitting, StoredInstance, Totals
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
    "Sitting",
    "Store",
    "StoredInstance",
    "Totals",
    "answer",
    "normalise",
]
