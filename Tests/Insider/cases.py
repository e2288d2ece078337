"""What the tests of insiders share: whom an audit accuses, and a row for each case."""

from collections.abc import Callable, Collection, Sequence

from Shared.program import Failed


def accusations(report: dict, checks: Collection[int] | None = None) -> list[str]:
    """The findings of an audit's report, each with the number of its check; only those of these checks, if they are named."""
    return [f"{check['id']}: {finding['text']}" for check in report["checks"] if checks is None or check["id"] in checks
            for finding in check["findings"]]


def play_each(cases: Sequence[Callable], only: str | None, play: Callable[[int, Callable], str], failing: str) -> int:
    """Plays each case, or the one that is named, with its number, and prints a row; returns how many raised `Failed`."""
    failed = 0
    for number, case in enumerate(cases):
        if only not in (None, case.__name__):
            continue
        try:
            told = play(number, case)
        except Failed as error:
            failed, told = failed + 1, f"{failing}: {error}"
        print(f"{case.__name__.replace('_', ' '):40}{told}", flush=True)
    return failed
