#!/usr/bin/env python3
"""Writes draws.json: random rewards as Python's hmac finds them. Usage: draws.py > draws.json"""
import hashlib, json, random, sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parents[2]))

from Shared.draws import draw

rng = random.Random(20261120)
CATALOGUE = {
    "fontColor": ["red", "orange", "green", "blue", "purple", "pink"],
    "uiSkin": ["spring", "summer", "autumn", "winter"],
    "nothing": [],
    "emoji": ["cheers", "食べ物", "😀"],
}


def row():
    secret = bytes(rng.randrange(256) for _ in range(rng.choice([1, 8, 32, 64, 65, 200])))
    user = "".join(rng.choice("abcXYZ0189_.-") for _ in range(rng.randint(1, 64)))
    level = rng.randint(2, 30)
    choice = rng.choice(["*", "*", "fontColor", "uiSkin", "emoji"])
    everything = [f"{name}/{item}" for name, items in CATALOGUE.items() for item in items]
    owned = sorted(rng.sample(everything, rng.choice([0, 1, 3, 8, len(everything) - 1, len(everything)])))
    return {
        "secret": secret.hex(), "fingerprint": hashlib.sha256(secret).hexdigest()[:16],
        "user": user, "level": level, "choice": choice, "owned": owned,
        "item": draw(secret, user, choice, f"{user}/level/{level}", CATALOGUE, owned),
    }


rows = ",\n".join(json.dumps(row(), ensure_ascii=False) for _ in range(200))
print('{"catalogue": %s, "rows": [\n%s\n]}' % (json.dumps(CATALOGUE, ensure_ascii=False), rows))
