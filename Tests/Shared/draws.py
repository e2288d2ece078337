"""The rules' random draws as the specification has them: for every oracle of the project."""

import hashlib
import hmac


def draw(secret: bytes, user: str, category: str, key: str, catalogue: dict[str, list[str]],
         owned: list[str]) -> str | None:
    """A random item that the user does not own, as CATEGORY/ITEM; the same for whoever has the secret."""
    def digest(text: str) -> bytes:
        return hmac.digest(secret, text.encode(), hashlib.sha256)

    left = {name: [f"{name}/{item}" for item in items if f"{name}/{item}" not in owned]
            for name, items in catalogue.items()}
    if category == "*":
        names = [name for name in catalogue if left[name]]
        category = names[int.from_bytes(digest(key)) % len(names)] if names else category
    return min(left.get(category, []), key=lambda item: digest(f"{user}/{item}"), default=None)
