"""What must hold of a ledger in a database after gifts of a point each, whatever happened meanwhile."""

from collections import Counter

from Shared.installation import Installation


def faults(installation: Installation, users: list[str], given: Counter) -> list[str]:
    """What is otherwise than acknowledged: balances, ledger, rows beside it, audit."""
    found = []
    for user in users:
        points = installation.run("balance", user, "--format", "json").document["points"]
        if points != given[user]:
            found.append(f"{user} has {points} points, acknowledged were {given[user]}")
    for words in (("ledger", "verify"), ("store", "check"), ("audit",)):
        answer = installation.run(*words, codes=None)
        if answer.code:
            found.append(f"{answer.command} ended with {answer.code}: {answer.said}")
    return found
