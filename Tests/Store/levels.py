"""The app's arithmetic of levels: exp within a level, and the caps that fill them."""

# The built-in rules' caps: 200 for level 1, and 100 more for each after it.
CAPS = [200 + 100 * number for number in range(29)]


def total(level: int, exp: int, caps: list[int] = CAPS) -> int:
    """All exp of somebody at a level with so much within it."""
    return sum(caps[:level - 1]) + exp


def lifted(level: int, exp: int, caps: list[int] = CAPS) -> tuple[int, int]:
    """The level and the exp within it, once every cap that is full has been taken off."""
    while level <= len(caps) and exp >= caps[level - 1]:
        exp -= caps[level - 1]
        level += 1
    return level, exp
