"""What must hold of a ledger in a database after gifts of a point each, whatever happened meanwhile."""

import json
from collections import Counter

from places import Database

SECRET = {"REWARDS_DRAW_SECRET": "kX93mQz7Lw2pVb8RtYc4Ns6DfHj1Ga5E"}


def faults(run, place: Database, users: list[str], given: Counter) -> list[str]:
    """What is otherwise than acknowledged: balances, ledger, audit, tokens. `run` runs a command at the place."""
    found = []
    for user in users:
        points = json.loads(run("balance", user, "--format", "json").stdout)["points"]
        if points != given[user]:
            found.append(f"{user} has {points} points, acknowledged were {given[user]}")
    for words in (("ledger", "verify"), ("audit",)):
        done = run(*words)
        if done.returncode:
            found.append(f"{' '.join(words)}: {done.stdout[-600:]}{done.stderr[-600:]}")
    lower = "SELECT count(*) FROM (SELECT token, lag(token) OVER (ORDER BY seq) AS earlier FROM rewards.seal) s WHERE token < earlier"
    if place.ask(lower) != "0\n":
        found.append("a seal has a lower token than one before it")
    return found
