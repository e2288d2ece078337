"""The rules documents of the story: the first ones, those of the autumn with two mistakes, and the correction."""

import copy

FIRST = {
    "version": "2026-09", "effectiveFrom": "2026-01-01",
    "missions": {
        "comment": {"points": 5, "exp": 5}, "watch": {"points": 15, "exp": 15}, "follow": {"points": 15, "exp": 15},
        "gift": {"points": 20, "exp": 20}, "share": {"points": 10, "exp": 10}, "stream": {"points": 30, "exp": 30},
        "purchase": {"points": 50, "exp": 50},
    },
    "activity": {"counts": "overlaps", "toleratedGapSeconds": 0, "openEndHours": 12},
    "streak": {
        "countsAs": ["login", "stream", "watch", "gift", "comment", "follow", "share", "purchase"],
        "rewards": [{"points": 25, "exp": 25}, {"item": "fontColor"}, {"points": 50, "exp": 50},
                    {"item": "backgroundColor"}, {"points": 100, "exp": 100}, {"boosterDays": 1}, {"coins": 50}],
    },
    # Small steps, so that the users of the story come far.
    "levels": {
        "caps": [60 + 20 * number for number in range(29)],
        "rewards": {"2": {"item": "levelLabel"}, "5": {"item": "*"}, "7": {"item": "*"}, "10": {"boosterDays": 3},
                    "12": {"item": "fontStyle"}},
    },
    "booster": {"multiplier": 2},
    # Few enough items that some users own all of a kind and get the fallback.
    "catalogue": {
        "fontColor": ["red", "orange", "green"], "backgroundColor": ["cream", "mint", "sky"],
        "fontStyle": ["rounded", "serif", "pixel"], "levelLabel": ["levelLabel"],
    },
    "fallback": {"points": 50},
    "limits": {"pointsPerUserDay": 1000, "expPerUserDay": 2000},
}

MISTAKES = ("points", "exp", "cap-low", "cap-high")


def autumn(**changes: object) -> dict:
    """The document of the autumn, as it was meant."""
    document = copy.deepcopy(FIRST) | {"version": "2026-10", "effectiveFrom": "2026-10-22", **changes}
    document["missions"]["comment"] = {"points": 10, "exp": 5}
    return document


def mistaken(mistakes: list[str]) -> dict:
    """As it was loaded: the digits of 15 exchanged for watching, and the cap of level 4 not 120."""
    document = autumn()
    watch, caps = document["missions"]["watch"], document["levels"]["caps"]
    watch |= {unit: 51 for unit in ("points", "exp") if unit in mistakes}
    if "cap-low" in mistakes:
        caps[3] = 5
    if "cap-high" in mistakes:
        caps[3] = 1000
    return document


def corrected() -> dict:
    """The document that stands in the place of the mistaken one."""
    return autumn(version="2026-10-corrected", corrects="2026-10")
