"""What must hold of a ledger in a database after gifts of a point each, whatever happened meanwhile."""

import json
from collections import Counter

SECRET = {"REWARDS_DRAW_SECRET": "kX93mQz7Lw2pVb8RtYc4Ns6DfHj1Ga5E"}


def faults(run, users: list[str], given: Counter) -> list[str]:
    """What is otherwise than acknowledged: balances, ledger, rows beside it, audit. `run` runs a command at the place."""
    found = []
    for user in users:
        points = json.loads(run("balance", user, "--format", "json").stdout)["points"]
        if points != given[user]:
            found.append(f"{user} has {points} points, acknowledged were {given[user]}")
    for words in (("ledger", "verify"), ("store", "check"), ("audit",)):
        done = run(*words)
        if done.returncode:
            found.append(f"{' '.join(words)}: {done.stdout[-600:]}{done.stderr[-600:]}")
    return found
