"""What ceps wants to know of a problem, for SAT: a plain script, to be read and replaced by your own."""

from __future__ import annotations

import random
import sys
from pathlib import Path

CLAUSES_PER_VARIABLE = 4.26
"""Where half of the random formulas with three literals to a clause have a model: there they are hardest."""
CHANGED = 0.1
"""The share of clauses that a mutation draws anew."""

Clause = list[int]


def read(path: str) -> tuple[int, list[Clause]]:
    """The number of variables and the clauses in a DIMACS file."""
    lines = [line.split() for line in Path(path).read_text().splitlines() if line[:1] not in ("", "c", "%")]
    header = next(words for words in lines if words[0] == "p")
    clauses: list[Clause] = [[]]
    for number in (int(word) for words in lines if words[0] != "p" for word in words):
        if number:
            clauses[-1].append(number)
        else:
            clauses.append([])
    return int(header[2]), clauses[:-1]


def write(path: str, variables: int, clauses: list[Clause]) -> None:
    lines = [f"p cnf {variables} {len(clauses)}", *(" ".join(map(str, [*clause, 0])) for clause in clauses)]
    Path(path).write_text("\n".join([*lines, ""]))


def random_clause(variables: int, length: int, rng: random.Random) -> Clause:
    return [rng.choice((-1, 1)) * variable for variable in rng.sample(range(1, variables + 1), length)]


def generate(out: str, seed: str, size: str) -> None:
    variables, rng = max(3, int(size)), random.Random(int(seed))
    write(out, variables, [random_clause(variables, 3, rng) for _ in range(round(CLAUSES_PER_VARIABLE * variables))])


def mutate(instance: str, out: str, seed: str) -> None:
    """Some clauses are drawn anew, with as many literals as they had."""
    (variables, clauses), rng = read(instance), random.Random(int(seed))
    for index in rng.sample(range(len(clauses)), max(1, round(CHANGED * len(clauses)))):
        clauses[index] = random_clause(variables, min(variables, len(clauses[index])), rng)
    write(out, variables, clauses)


def check(instance: str, solution: str) -> None:
    """End with an error unless the literals in a file make every clause true."""
    variables, clauses = read(instance)
    literals = {int(word) for word in Path(solution).read_text().split()} - {0}
    if any(-literal in literals or abs(literal) > variables for literal in literals):
        sys.exit("the model has a literal and its opposite, or a variable that there is not")
    for number, clause in enumerate(clauses, start=1):
        if literals.isdisjoint(clause):
            sys.exit(f"clause {number} is not true")


def features(instance: str) -> None:
    variables, clauses = read(instance)
    literals = [literal for clause in clauses for literal in clause]
    print(f"variables={variables}")
    print(f"clauses={len(clauses)}")
    print(f"clauses_per_variable={len(clauses) / variables}")
    print(f"positive={sum(literal > 0 for literal in literals) / max(1, len(literals))}")


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    {"generate": generate, "mutate": mutate, "check": check, "features": features}[command](*arguments)
