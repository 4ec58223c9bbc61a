"""What the commands have in common: their two voices, and options that mean the same everywhere."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ceps.console import PlainConsole, Voice
from ceps.errors import UserError
from ceps.execution.backends import executor_of
from ceps.execution.executor import Executor
from ceps.execution.local import available_cores
from ceps.portfolio import Portfolio
from ceps.settings import ExecutionSettings
from ceps.texts import counted

answers = PlainConsole()
messages = Voice()


class Terminated(KeyboardInterrupt):
    """SIGTERM: what a batch system sends some time before it kills."""


def terminate(number: int, frame: object) -> None:
    """The handler of SIGTERM: whoever asks for an end is served as Ctrl-C is."""
    raise Terminated


class Commands(TyperGroup):
    """Mistakes of the user exit with 2 and a message, an interrupt with 130, a SIGTERM with 143."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except UserError as error:
            messages.print(f"ceps: {error}", style="red")
            raise typer.Exit(2) from error
        except KeyboardInterrupt as interrupt:
            messages.print("ceps: stopped; nothing is left running")
            raise typer.Exit(143 if isinstance(interrupt, Terminated) else 130) from interrupt


Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Trust = Annotated[bool, typer.Option("--trust", help="Start programs that the file or folder names: you know them.")]
Seed = Annotated[int, typer.Option(help="All randomness is derived from it.")]
Memory = Annotated[str, typer.Option(help="What one run may use: bytes, or a text such as 512MiB.")]
Workers = Annotated[int | None, typer.Option(min=1, help="Runs at a time. Default: one per core.", show_default=False)]


def start_executor(settings: ExecutionSettings, workers: int | None) -> AbstractContextManager[Executor]:
    """Who makes the runs of a command; ``workers`` is its option."""
    if not settings.has_own_workers:
        warn_of_sharing(workers or settings.workers or available_cores(), "workers")
    return executor_of(settings, workers, messages.print)


def warn_of_sharing(count: int, what: str) -> None:
    if count > available_cores():
        cores = counted(available_cores(), "core")
        messages.print(f"{count} {what} share {cores}: each gets less than its full speed")


def load_portfolio(path: Path, trust: bool) -> Portfolio:
    """The portfolio in a file. It may be a stranger's: programs that it names are started when the user says so."""
    portfolio = Portfolio.load(path)
    if not trust:
        portfolio.refuse_programs(path, "add --trust")
    return portfolio
