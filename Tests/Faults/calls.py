"""Lets single system calls of a writing command fail, or kills it there; then again while it recovers.

Passes when the exit code is true (0 only when all is in the ledger, 1 only when it is there or waits in the inbox); when
the same command, given again to a healthy disk, puts everything right by itself; and when then nothing is lost, nothing
is granted twice, and the chain is whole. The failing calls are counted over the whole process by a preloaded library;
strace, whose counts are per thread, proves that the library sees all of them.
"""

import errno
import random as numbers
import shutil
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from Faults.contents import Contents
from Faults.nights import NIGHTS, Night
from Faults.place import Place
from Faults.scenes import SCENES, Scene
from Shared.program import Failed
from Shared.tools import DISK_CALLS, compile_library, strace

KILL = 0
WORKERS = 2
INTERRUPTIBLE = {"write", "pwrite64", "fdatasync", "fsync", "openat", "ftruncate"}


def run(options, outcome):
    """Every call with every error that it may have, or a sample of them; in three states of the data folder and four
    commands of a night."""
    random = options.random(outcome.name)
    scenes = [Scene(name, options, outcome) for name in SCENES] + [Night(name, options, outcome) for name in NIGHTS]
    library = compile_library(Path(__file__).with_name("failcalls.c"), scenes[0].home.folder)
    faults = [(scene, *fault) for scene in scenes for fault in every_fault(scene, library, outcome)]
    outcome.add("possible faults", len(faults))
    if not options.is_full:
        faults = random.sample(faults, 120)
    tasks = [(*fault, random.getrandbits(64)) for fault in faults]
    places = [Place(options, outcome) for _ in range(WORKERS)]
    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(lambda part: [try_fault(part[0], library, outcome, *task) for task in part[1]],
                      [(place, tasks[number::WORKERS]) for number, place in enumerate(places)]))


def every_fault(scene, library, outcome):
    """Number and name of each call of a healthy run, with each error, once and from then on."""
    place = scene.home
    saved = place.folder / "saved"
    if place.data.exists():
        shutil.copytree(place.data, saved)
    names = healthy_calls(place, scene, library)
    shutil.rmtree(place.data)
    if saved.exists():
        shutil.copytree(saved, place.data)
    seen = traced_calls(place, scene)
    shutil.rmtree(place.data)
    if saved.exists():
        saved.rename(place.data)
    if scene.is_steady and Counter(names) != seen:
        outcome.breach(f"{scene.name}: the library sees {Counter(names)}, strace {seen}")
    faults = []
    for number, name in enumerate(names, 1):
        faults.append((number, name, KILL, 0))
        for error in (errno.EIO, errno.ENOSPC, errno.EINTR):
            if error != errno.EINTR or name in INTERRUPTIBLE:
                faults += [(number, name, error, 0), (number, name, error, 1)]
    return faults


def healthy_calls(place, scene, library):
    """The names of all calls on the data folder, in order."""
    log = place.folder / "calls.log"
    run_faulty(place, scene, library, log, 0, KILL, 0, codes=(0, 1))
    names = log.read_text().split()
    log.unlink()
    return names


def traced_calls(place, scene):
    """How often strace sees each call on the data folder."""
    log = place.folder / "strace.log"
    calls = strace(log, "-e", f"trace={','.join(DISK_CALLS)}")
    place.run(*scene.words_at(place), machine=calls, codes=(0, 1))
    seen = Counter()
    for line in log.read_text(errors="replace").splitlines():
        name = line.split(None, 1)[1].split("(")[0]
        # The end of a call in whose midst another thread ran: its beginning was counted.
        if name.startswith("<..."):
            continue
        # A path that is an argument, or the one behind a descriptor.
        if f'"{place.data}' in line.split(" = ")[0] or f"<{place.data}" in line.split(",")[0]:
            seen[name.replace("renameat2", "rename").replace("renameat", "rename")] += 1
    return seen


def run_faulty(place, scene, library, log, number, error, onward, codes=None):
    """Runs the scene's command with one failing call."""
    return place.run(
        *scene.words_at(place), codes=codes, LD_PRELOAD=str(library), FAULT_FOLDER=str(place.data), FAULT_LOG=str(log),
        FAULT_AT=str(number), FAULT_ERROR=str(error), FAULT_ONWARD=str(onward))


def try_fault(place, library, outcome, scene, number, name, error, onward, seed):
    """One fault, in half of the cases another one while that is recovered from, and the repair."""
    random = numbers.Random(seed)
    scene.copy_to(place)
    word = errno.errorcode[error] if error else "SIGKILL"
    what = f"{scene.name}, call {number} ({name}), {word}{' from then on' if onward else ''}"
    log = place.folder / "calls.log"
    log.unlink(missing_ok=True)
    try:
        answer = run_faulty(place, scene, library, log, number, error, onward)
        outcome.add("faults")
        outcome.add("killed" if answer.code == -9 else "told as failed" if answer.code > 1 else "done all the same")
        check_truth(place, scene, answer, is_killed=error == KILL)
        if random.random() < 0.5:
            again = random.randrange(1, len(log.read_text().split()) + 2)
            code, lasts = random.choice([KILL, errno.EIO, errno.ENOSPC]), random.randrange(2)
            what += f", then call {again} with error {code}{' from then on' if lasts else ''}"
            answer = run_faulty(place, scene, library, log, again, code, lasts)
            outcome.add("faults while recovering")
            check_truth(place, scene, answer, is_killed=code == KILL)
        place.run(*scene.words_at(place), codes=(0, 1))
        check_repaired(place, scene)
    except Failed as broken:
        outcome.keep(place.data, f"{what}: {broken}")


def check_truth(place, scene, answer, is_killed):
    """Compares the exit code with what is in the ledger up to its last seal."""
    if answer.code < 0 and not (is_killed and answer.code == -9):
        raise Failed(f"the program crashed with signal {-answer.code}: {answer.said}")
    if answer.code not in (0, 1):
        return
    found = Contents(place.ledger, allow_tail=True)
    waits = answer.code == 1 and place.waiting()
    if not scene.is_done(found) and not waits:
        raise Failed(f"ended with {answer.code}, but records are missing: {answer.said}")


def check_repaired(place, scene):
    """After a healthy run all is there, once, in a whole chain."""
    found = Contents(place.ledger)
    if not scene.is_done(found) or place.waiting():
        raise Failed(f"after a healthy run {scene.logins} are not all granted, or files still wait")
    if found.doubled():
        raise Failed(f"granted twice: {found.doubled()}")
    if not scene.is_repaired(place):
        raise Failed("after a healthy run what lies beside the ledger is not whole")
    code, report = place.verify()
    if code != 0 or report["damage"]:
        raise Failed(f"ledger verify ended with {code}: {report['damage'][:2]}")
