"""Makes a life that fails as small as it can be while it fails in the same way, and writes it as a shell script."""

import copy
import json
import shlex
from collections.abc import Callable

from Shared import api
from Shared.installation import SECRET, TOKEN

MOST_PLAYS = 300
# Parts of steps that may be left out, and of roster lines.
OPTIONAL = ("kill", "proves", "zones", "users", "day", "leaves_out", "below_zero", "all", "points", "coins", "items",
            "exp")
OPTIONAL_IN_LINES = ("since", "opening", "exp", "items", "points", "coins", "boosterDays")
# How a life failed, if it did, and at which step.
Play = Callable[[dict], tuple[str | None, int]]


class Shrinker:
    """Tries smaller lives one after the other and keeps those that fail by the same check."""

    def __init__(self, life: dict, check: str, play: Play):
        self.life, self.check, self.play, self.plays = life, check, play, 0

    def fails(self, life: dict) -> bool:
        """Whether a life fails in the same way; it is then kept, up to the step that fails."""
        if self.plays >= MOST_PLAYS or not life["steps"]:
            return False
        self.plays += 1
        life = copy.deepcopy(life)
        failure, step = self.play(life)
        if failure is None or failure.partition(":")[0] != self.check:
            return False
        life["steps"] = life["steps"][:step]
        self.life = life
        return True

    def shrink(self) -> dict:
        """The smallest life that was found."""
        self.fails(self.life)
        size = 0
        while size != len(json.dumps(self.life)) and self.plays < MOST_PLAYS:
            size = len(json.dumps(self.life))
            self.drop_users()
            self.thin_out(lambda life: life["steps"])
            for name in ("lines", "incoming"):
                for number in range(len(self.life["steps"])):
                    if number < len(self.life["steps"]) and self.life["steps"][number].get(name):
                        self.thin_out(lambda life: life["steps"][number].get(name, []))
            self.thin_out(lambda life: life["activities"])
            self.thin_out(lambda life: life["outages"])
            self.drop_parts()
        return self.life

    def drop_users(self) -> None:
        """Leaves out everything about a user."""
        names = {line["user"] for step in self.life["steps"] for line in step.get("lines", ()) if "user" in line}
        for name in sorted(names):
            life = copy.deepcopy(self.life)
            life["activities"] = [activity for activity in life["activities"] if activity[0] != name]
            for step in life["steps"]:
                for lines in ("lines", "incoming"):
                    if lines in step:
                        step[lines] = [line for line in step[lines] if line.get("user") != name]
            life["steps"] = [step for step in life["steps"]
                             if step.get("user") != name and step.get("lines") != []]
            self.fails(life)

    def thin_out(self, part: Callable[[dict], list]) -> None:
        """Leaves out halves, quarters … and at last single members of a list of the life."""
        size = len(part(self.life)) // 2 or 1
        while size and part(self.life):
            start = len(part(self.life))
            while start > 0:
                start = max(0, min(start, len(part(self.life))) - size)
                life = copy.deepcopy(self.life)
                del part(life)[start:start + size]
                self.fails(life)
            size //= 2

    def drop_parts(self) -> None:
        """Leaves out options of steps and fields of lines."""
        for number, step in enumerate(copy.deepcopy(self.life["steps"])):
            for name in OPTIONAL:
                if step.get(name) and number < len(self.life["steps"]):
                    life = copy.deepcopy(self.life)
                    is_list = step["do"] in ("plan", "excuse", "grant") and isinstance(step[name], list)
                    if is_list:
                        life["steps"][number][name] = []
                    else:
                        life["steps"][number].pop(name, None)
                    self.fails(life)
            for place, line in enumerate(step.get("lines", ())):
                for name in OPTIONAL_IN_LINES:
                    if name in line and number < len(self.life["steps"]):
                        life = copy.deepcopy(self.life)
                        life["steps"][number]["lines"][place].pop(name, None)
                        self.fails(life)


def shrink(life: dict, failure: str, play: Play) -> dict:
    """The life with everything left out that it does not need to fail in the same way."""
    return Shrinker(life, failure.partition(":")[0], play).shrink()


def shell_script(life: dict, failure: str, log: list[str]) -> str:
    """A script that does the same with the program alone, or with it and the simulated API."""
    lines = [
        "#!/bin/bash", f"# A life of seed {life['seed']}, made small. It ends with this failure:",
        *(f"#   {part}" for part in failure.split("; ")), "# REWARDS names the program.", "set -u",
        'R=$(readlink -f "$(command -v "${REWARDS:-rewards}")")',
        'cd "$(mktemp -d "${TMPDIR:-/tmp}/life.XXXXXX")" || exit; mkdir jobs',
        f"export REWARDS_DRAW_SECRET='{SECRET}' CHEER_API_TOKEN='{TOKEN}'",
    ]
    if life["api"]:
        world = json.dumps({"activities": life["activities"], "outages": life["outages"]})
        lines += [f"cat > life.json <<'END'\n{world}\nEND",
                  f'python3 {shlex.quote(api.__file__)} life.json > port & trap "kill $!" EXIT',
                  "until [ -s port ]; do sleep 0.1; done; export REWARDS_API_BASE_URL=http://127.0.0.1:$(cat port)/api/v1"]
    return "\n".join([*lines, *log, ""])
