"""Cuts a ledger at random bytes near its end, and damages its lines.

Passes when after a cut `ledger verify` names the unsealed bytes, and a writing command goes on from exactly the longest
committed prefix and keeps the rest under `state`; and when damage is reported with segment, line and byte, writing is
refused, and no byte of the ledger changes. Bytes behind the last complete seal are a tail, not damage.
"""

import random as numbers
import shutil
from concurrent.futures import ThreadPoolExecutor

import control
import ledger
import tampering
from place import SEGMENT, Place, login_lines, user_lines
from program import Service, run as run_program, verify

REFUSED = 65
LAST_BYTES = 65_536
WORKERS = 2


def run(options, outcome):
    """200 cuts and 100 damages, at full size 5,000 and 1,000."""
    random = options.random(outcome.name)
    base = make_ledger(options, outcome, random)
    content = (base.ledger / SEGMENT).read_bytes()
    outcome.add("records", ledger.read(base.ledger).records)
    cuts = options.size(200, 5_000)
    tasks = ["cut"] * cuts + tampering.DAMAGES * (options.size(100, 1_000) // 5)
    seeds = [(task, random.getrandbits(64)) for task in tasks]
    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(lambda part: work(options, outcome, base, content, part),
                      [seeds[number::WORKERS] for number in range(WORKERS)]))


def make_ledger(options, outcome, random):
    """A ledger of some thousand records in batches of many sizes, made by the program."""
    place = Place(options, outcome)
    service = Service(place)
    service.wait_until_it_answers()
    users = []
    for turn in range(300):
        names = [f"u{turn}-{number}" for number in range(random.randrange(1, 9))]
        control.import_users(place, user_lines(names))
        users += names
    service.stop()
    while users:
        count = random.randrange(1, 100)
        file = place.write("logins.jsonl", login_lines(users[:count]))
        run_program(place, "ingest", str(file))
        users = users[count:]
    return place


def work(options, outcome, base, content, tasks):
    """Does its part of the tasks at a place of its own."""
    place = Place(options, outcome)
    place.write("known.jsonl", user_lines(["u0-0"]))
    shutil.copytree(base.data / "ledger", place.ledger)
    for task, seed in tasks:
        random = numbers.Random(seed)
        shutil.rmtree(place.state, ignore_errors=True)
        if task == "cut":
            changed, length = tampering.cut(content, random, LAST_BYTES)
            problem = see_tail(place, changed)
            what = f"cut to {length} bytes and {len(changed) - length} zeros"
        else:
            changed, first, last = tampering.damage(content, task, random)
            problem = see_change(outcome, place, content, changed, first, last)
            what = f"{task} at byte {first}"
        outcome.add("cuts" if task == "cut" else "damages")
        if problem:
            outcome.keep(place.ledger, f"{what} (random seed {seed}): {problem}")


def write_something(place):
    """A command that opens the ledger for writing and finds nothing to add."""
    return run_program(place, "users", "import", str(place.path / "known.jsonl"))


def see_tail(place, changed):
    """What is wrong with how the program takes bytes behind the last seal, or nothing."""
    segment = place.ledger / SEGMENT
    segment.write_bytes(changed)
    end = tampering.seal_ends(changed)[-1]
    code, report = verify(place)
    named = [(found["segment"], found["byte"]) for found in report["damage"]]
    wanted = [(SEGMENT, end)] if end < len(changed) else []
    if named != wanted:
        return f"ledger verify names {report['damage'][:2]}, not the tail from byte {end} on"
    line = changed[:end].count(b"\n") + 1
    if wanted and report["damage"][0]["line"] != line:
        return f"ledger verify names line {report['damage'][0]['line']}, not {line}"
    done = write_something(place)
    if done.returncode != 0:
        return f"a command ended with {done.returncode}: {done.stderr}"
    if segment.read_bytes() != changed[:end]:
        return f"the ledger is not its longest committed prefix of {end} bytes"
    kept = [file.read_bytes() for file in place.state.glob("cut-*")]
    if kept != ([changed[end:]] if end < len(changed) else []):
        return f"the {len(changed) - end} bytes cut are not what was kept: {[len(k) for k in kept]}"
    code, report = verify(place)
    return None if code == 0 and not report["damage"] else f"after recovery: {report['damage'][:2]}"


def see_change(outcome, place, content, changed, first, last):
    """What is wrong with how the program takes a change from byte `first` to `last`, or nothing."""
    segment = place.ledger / SEGMENT
    ends = tampering.seal_ends(changed)
    if first >= ends[-1] or changed[:ends[-1]] == content[:ends[-1]]:
        # It has touched the last seal itself, so that its batch counts as never sealed.
        return see_tail(place, changed)
    outcome.add("refused")
    segment.write_bytes(changed)
    code, report = verify(place)
    if code == 0 or report["ok"] or not report["damage"]:
        return f"silent: ledger verify ended with {code}"
    problem = misplaced(report["damage"][0], changed, first, last, ends)
    if problem:
        return problem
    done = write_something(place)
    if done.returncode != REFUSED:
        return f"a writing command ended with {done.returncode}: {done.stderr}"
    if segment.read_bytes() != changed or len(list(place.ledger.iterdir())) != 1:
        return "the damaged ledger was changed"
    return None


def misplaced(found, changed, first, last, ends):
    """What is wrong with the place that is named for damage, or nothing: it must be a line of the batches touched."""
    byte = found["byte"]
    start = max(end for end in ends if end <= first)
    # Where a seal is gone, its batch goes on to the seal after it.
    beyond = [end for end in ends if end > last][:2]
    if found["segment"] != SEGMENT or not start <= byte < (beyond[-1] if beyond else len(changed)):
        return f"named {found}, the change is from byte {first} to {last}"
    if changed[:byte].count(b"\n") != found["line"] - 1 or changed[byte - 1:byte] not in (b"\n", b""):
        return f"byte {byte} is not where line {found['line']} begins"
    return None
