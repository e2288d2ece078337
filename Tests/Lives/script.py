"""Writes whole lives from a seed: who lives where, what they do, when it is told, and what operators do meanwhile.

A life is plain JSON: every choice is made here, so that a life plays again, also with steps left out. What depends on
what the program has granted (which key is reversed) is chosen at the first play and then stands in the step.
"""

from Lives.author import Author
from Lives.operators import Operators
from Lives.people import People


def write_life(seed: int, wanted: set[str], unwanted: set[str]) -> dict:
    """The life of a seed, with these features and without those."""
    author = Author(seed, wanted, unwanted)
    if author.has("corrections") and author.pick.random() < 0.3:
        author.add_correction()
    first = list(author.documents)
    People(author).write()
    Operators(author).write()
    return {"seed": seed, "features": sorted(author.features), "api": author.has("api"), "mark": author.has("marks"),
            "zones": author.zones,
            "documents": first, "activities": author.activities, "outages": author.outages(), "steps": author.ordered()}
