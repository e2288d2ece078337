#!/usr/bin/env python3
"""Random lives of users, lived with the real program and held against an independent oracle.

A seed gives a life: a few users who move, stream, leave and come back, files that come late, shuffled and doubled, rules
that are corrected, grants that are reversed, repairs in parts, commands that are killed. In the end every key, amount,
item and balance is what the law gives, the audit passes, and nothing is left to repair. Ends with 1 when a life fails.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

# Nothing is left behind in the project's folders.
sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent))

from Lives.author import FEATURES
from Lives.player import Player
from Lives.script import write_life
from Lives.shrink import shrink, shell_script
from Lives.twin import Twin, make_twin, turning_point
from Shared.places import Database, Folder, running_server
from Shared.program import Failed, arguments
from Shared.tools import wrong_clock


def main() -> int:
    """Lives the lives that the command line asks for and returns the exit code."""
    options = parse_options()
    began = time.monotonic()
    with ExitStack() as stack:
        if options.database or options.shards:
            _, server = stack.enter_context(running_server("rewards-pg-"))
            options.socket = server.folder
        if options.store:
            options.clock = wrong_clock(Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="rewards-clock-"))))
        return run(options, began)


def run(options: argparse.Namespace, began: float) -> int:
    """The same, with a database server where one is asked for."""
    if options.replay:
        outcome = play(json.loads(options.replay.read_text()), options, options.keep)
        print(outcome.failure or "passed")
        return 1 if outcome.failure else 0
    failed: Counter[str] = Counter()
    lived = commands = compared = documents = judged = 0
    with ProcessPoolExecutor(options.jobs) as pool:
        seeds = range(options.seed, options.seed + options.lives)
        waiting = {pool.submit(live, seed, options): seed for seed in seeds}
        for done in as_completed(waiting):
            if done.cancelled():
                continue
            outcome = done.result()
            lived, commands, compared = lived + 1, commands + outcome.commands, compared + outcome.compared
            documents, judged = documents + outcome.documents, judged + outcome.judged
            if outcome.failure:
                failed[outcome.failure.partition(":")[0]] += 1
                print(f"seed {waiting[done]}: {outcome.failure}\n  {repeat(options, waiting[done])}", flush=True)
            if options.minutes and time.monotonic() - began > options.minutes * 60:
                for one in waiting:
                    one.cancel()
    seconds = time.monotonic() - began
    told = f"{documents} documents equal the ledger, {judged} of them the oracle too, " if options.store else ""
    print(f"{lived} lives from seed {options.seed}, {commands} commands, {compared} comparisons, {told}{seconds:.0f} s: "
          + (f"{failed.total()} failed ({', '.join(f'{n} {check}' for check, n in failed.most_common())})"
             if failed else "passed"))
    return 1 if failed else 0


@dataclass(frozen=True)
class Outcome:
    """How a life ended: how it failed, if it did, at which step, and what it took."""

    failure: str | None
    step: int
    commands: int
    compared: int
    log: list[str]
    # How many documents of the store were compared with the ledger, and with the oracle too.
    documents: int = 0
    judged: int = 0


def live(seed: int, options: argparse.Namespace) -> Outcome:
    """One life; one that fails is made small if that is asked for."""
    # What befalls a folder, and not the database of several machines.
    without = options.without | ({"ahead", "vanishing", "restores"} if options.database or options.shards else set())
    life = write_life(seed, options.features - without, without)
    if options.store:
        from Store.life import with_visits
        life = with_visits(life)
    outcome = play(life, options, options.keep and options.keep / str(seed))
    if outcome.failure and options.shrink:
        def play_smaller(one: dict) -> tuple[str | None, int]:
            smaller = play(one, options, None)
            return smaller.failure, smaller.step

        small = shrink(life, outcome.failure, play_smaller)
        again = play(small, options, None)
        options.shrink.mkdir(parents=True, exist_ok=True)
        (options.shrink / f"{seed}.json").write_text(json.dumps(small, indent=1))
        (options.shrink / f"{seed}.sh").write_text(shell_script(small, again.failure or "(not at every play)", again.log))
    return replace(outcome, log=[])


def play(life: dict, options: argparse.Namespace, keep: Path | None) -> Outcome:
    """Plays a life in a folder of its own."""
    folder = Path(tempfile.mkdtemp(prefix="rewards-life-"))
    installation, program = folder / "installation", options.program
    place = Database(program, options.socket, f"life_{os.urandom(6).hex()}") if options.database else Folder(installation)
    player = Player(life, program, installation, place, options.spoil and not options.store)
    twin: Twin | None = None
    if options.store:
        # It takes Google's own types, which no other life needs.
        from Store.life import Store
        player.store = Store(player, options.clock, options.spoil)

    def divide(now: int, from_backup: bool = True) -> None:
        nonlocal twin
        twin = make_twin(player.installation, program, options.socket, options.shards)
        if from_backup:
            twin.import_all(now)
        player.installation.twin = twin

    if options.imports:
        player.before[turning_point(life)] = divide
    elif options.shards:
        divide(player.now, from_backup=False)
    failure = None
    try:
        player.play()
        if twin:
            twin.compare(player.now, set(player.facts.users))
    except Failed as failed:
        failure = str(failed)
    finally:
        place.close()
        if player.store:
            player.store.close()
        if twin:
            twin.place.close()
        if keep:
            keep.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(folder, keep, dirs_exist_ok=True, ignore=shutil.ignore_patterns("control.sock"))
        shutil.rmtree(folder, ignore_errors=True)
    outcome = Outcome(failure, player.number, player.installation.commands, player.inspector.compared, player.installation.log)
    return replace(outcome, documents=player.store.compared, judged=player.store.judged) if player.store else outcome


def repeat(options: argparse.Namespace, seed: int) -> str:
    """The command that lives a life again."""
    words = [sys.argv[0], str(options.program), "--seed", str(seed), "--lives", "1"]
    words += ["--database"] if options.database else []
    words += ["--shards", str(options.shards)] if options.shards else []
    words += ["--import"] if options.imports else []
    words += ["--store"] if options.store else []
    words += ["--with", ",".join(sorted(options.features))] if options.features else []
    words += ["--without", ",".join(sorted(options.without))] if options.without else []
    return " ".join([*words, *(["--spoil"] if options.spoil else []), "--shrink", "DIR"])


def parse_options() -> argparse.Namespace:
    """What the command line says."""
    parser = arguments(__doc__)
    parser.add_argument("--lives", type=int, default=100, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the first life; the next has the next")
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="how many lives at a time")
    parser.add_argument("--minutes", type=float, metavar="M", help="begin no new life after so long")
    parser.add_argument("--with", dest="features", type=features, default=set(), metavar="A,B",
                        help=f"features that every life has: {', '.join(FEATURES)}")
    parser.add_argument("--without", type=features, default=set(), metavar="A,B", help="features that no life has")
    parser.add_argument("--shrink", type=Path, metavar="DIR",
                        help="make lives that fail as small as they can be, and write a script for each into this folder")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave everything in this folder")
    parser.add_argument("--database", action="store_true", help="the data lies in databases of a PostgreSQL server")
    parser.add_argument("--shards", type=int, default=0, metavar="N",
                        help="all is told to N shards of a database too, and must come to the same there")
    parser.add_argument("--import", dest="imports", action="store_true",
                        help="with --shards: half-way through its life the ledger is divided among the shards")
    parser.add_argument("--store", action="store_true",
                        help="a sink writes into the app's documents meanwhile; takes the Python of .ci/python, and a C compiler")
    parser.set_defaults(socket=None, clock=None)
    parser.add_argument("--replay", type=Path, metavar="LIFE", help="live a life that was written by --shrink")
    parser.add_argument("--spoil", action="store_true", help="prove that a comparison can fail: it must then end with 1")
    options = parser.parse_args()
    if options.imports and not options.shards:
        parser.error("--import takes --shards N")
    return options


def features(text: str) -> set[str]:
    """Names of features."""
    names = set(text.split(","))
    if names - FEATURES.keys():
        raise argparse.ArgumentTypeError(f"unknown: {', '.join(sorted(names - FEATURES.keys()))}")
    return names


if __name__ == "__main__":
    sys.exit(main())
