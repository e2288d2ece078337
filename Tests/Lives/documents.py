"""Rules documents at random, and corrections of them."""

import copy
import random

from Lives.facts import INBOX_KINDS, KINDS

MISSIONS = ("comment", "watch", "follow", "gift", "share", "stream", "purchase")
# Missions that may have to last.
LASTING = ("stream", "watch")
CATALOGUE = {
    "fontColor": ["red", "orange", "green", "blue"], "backgroundColor": ["cream", "mint", "sky"],
    "fontStyle": ["rounded", "serif"], "levelLabel": ["levelLabel"],
}
ITEMS = [f"{category}/{item}" for category, items in CATALOGUE.items() for item in items]
STREAK_REWARDS = [{"points": 25, "exp": 25}, {"item": "fontColor"}, {"points": 50, "exp": 50}, {"item": "backgroundColor"},
                  {"points": 100, "exp": 100}, {"boosterDays": 1}, {"coins": 50}]
NO_LIMIT = 1_000_000


def document(pick: random.Random, version: str, features: set[str]) -> dict:
    """A first document; small levels, so that a life comes far."""
    rewards = streak_rewards(pick)
    missions = {name: mission(pick) for name in MISSIONS}
    if "lasting" in features:
        for name in LASTING:
            missions[name]["minMinutes"] = pick.choice((1, 10, 30, 60, 120, 300))
    shop = {"shop": pick.sample(list(CATALOGUE), pick.randint(1, len(CATALOGUE)))} if pick.random() < 0.3 else {}
    return shop | {
        "version": version, "effectiveFrom": "2000-01-01", "missions": missions,
        "activity": {"counts": "starts" if "starts" in features else "overlaps",
                     "toleratedGapSeconds": pick.choice((0, 0, 60)), "openEndHours": 12},
        "streak": {"countsAs": counts_as(pick), "rewards": rewards},
        "levels": levels(pick),
        "booster": {"multiplier": pick.choice((2, 2, 3))},
        "catalogue": copy.deepcopy(CATALOGUE),
        "fallback": {"points": 50},
        "limits": limits(pick) if "limits" in features else {"pointsPerUserDay": NO_LIMIT, "expPerUserDay": NO_LIMIT},
    }


def mission(pick: random.Random) -> dict:
    """What a mission brings."""
    return {"points": pick.choice((1, 5, 15, 30, 50)), "exp": pick.choice((0, 5, 15, 30, 60, 100))}


def changed(pick: random.Random, wrong: dict) -> dict:
    """What a mission brings in other rules. It need not last longer: what earlier rules did not need is not recorded."""
    right = mission(pick)
    if "minMinutes" in wrong and pick.random() < 0.7:
        right["minMinutes"] = pick.choice([least for least in (1, 10, 30, wrong["minMinutes"]) if least <= wrong["minMinutes"]])
    return right


def streak_rewards(pick: random.Random) -> list[dict]:
    """What each cycle day brings; a week of them, or another number."""
    rewards = copy.deepcopy(STREAK_REWARDS)
    if pick.random() < 0.5:
        return [copy.deepcopy(pick.choice(rewards)) for _ in range(pick.choice((1, 2, 3, 7, 10, 31)))]
    if pick.random() < 0.5:
        pick.shuffle(rewards)
    return rewards


def levels(pick: random.Random) -> dict:
    """A table of levels with their rewards."""
    table = caps(pick)
    return {"caps": table, "rewards": level_rewards(pick, table)}


def caps(pick: random.Random) -> list[int]:
    """How much exp fills each level but the highest."""
    first, step = pick.choice((40, 60, 100, 150, 200)), pick.choice((0, 0, 10, 20, 50))
    return [first + step * number for number in range(pick.choice((29, 29, 29, 1, 3, 6, 99)))]


def level_rewards(pick: random.Random, table: list[int]) -> dict[str, dict]:
    """Rewards of some levels that the table has."""
    choices = ({"points": 77}, {"item": "*"}, {"item": "fontColor"}, {"boosterDays": 1}, {"boosterDays": 3}, {"coins": 9},
               {"item": "levelLabel"}, {"points": 5, "exp": 40})
    return {str(level): copy.deepcopy(pick.choice(choices)) for level in range(2, 20)
            if pick.random() < 0.6 and level <= len(table) + 1}


def with_caps(levels: dict, table: list[int]) -> dict:
    """The same rewards with another table, as far as that has their levels."""
    return {"caps": table, "rewards": {level: reward for level, reward in levels["rewards"].items()
                                       if int(level) <= len(table) + 1}}


def counts_as(pick: random.Random) -> list[str]:
    """The kinds that count for the streak; one of the inbox at least."""
    if pick.random() < 0.5:
        return list(KINDS)
    chosen = {pick.choice(INBOX_KINDS), *pick.sample(KINDS, pick.randint(1, 4))}
    return [kind for kind in KINDS if kind in chosen]


def limits(pick: random.Random) -> dict[str, int]:
    """Limits that a lively day passes."""
    return {"pointsPerUserDay": pick.choice((40, 80, 150, NO_LIMIT)), "expPerUserDay": pick.choice((60, 150, 300, NO_LIMIT))}


def correction(pick: random.Random, wrong: dict, version: str, features: set[str]) -> dict:
    """A document that stands in the place of a wrong one."""
    right = copy.deepcopy(wrong) | {"version": version, "corrects": wrong["version"]}
    for what in pick.sample(("missions", "missions", "caps", "levels", "countsAs", "counts", "streak", "limits", "same"),
                            pick.randint(1, 3)):
        if what == "missions":
            for name in pick.sample(MISSIONS, pick.randint(1, 4)):
                right["missions"][name] = changed(pick, right["missions"][name])
        elif what == "caps":
            right["levels"] = with_caps(right["levels"], caps(pick))
        elif what == "levels":
            right["levels"]["rewards"] = level_rewards(pick, right["levels"]["caps"])
        elif what == "countsAs":
            right["streak"]["countsAs"] = counts_as(pick)
        elif what == "counts":
            right["activity"]["counts"] = "overlaps" if wrong["activity"]["counts"] == "starts" else "starts"
        elif what == "streak":
            pick.shuffle(right["streak"]["rewards"])
        elif what == "limits" and "limits" in features:
            right["limits"] = limits(pick)
    return right


def successor(pick: random.Random, last: dict, version: str, effective_from: str, features: set[str]) -> dict:
    """A document that follows from a date on."""
    following = copy.deepcopy(last) | {"version": version, "effectiveFrom": effective_from}
    following.pop("corrects", None)
    for name in pick.sample(MISSIONS, 3):
        following["missions"][name] = changed(pick, following["missions"][name])
    if pick.random() < 0.3:
        following["levels"] = with_caps(following["levels"], caps(pick))
    # At which cycle day an opening streak stands is decided by the rules of the import.
    if pick.random() < 0.3 and "openings" not in features:
        following["streak"]["rewards"] = streak_rewards(pick)
    return following
