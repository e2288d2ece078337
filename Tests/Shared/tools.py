"""What these tests need besides Python: a C compiler, and strace."""

import shutil
import subprocess
from pathlib import Path

from Shared.program import Unable

# Every system call that changes something on the disk or opens it for that.
DISK_CALLS = ["write", "pwrite64", "fdatasync", "fsync", "rename", "renameat", "renameat2", "openat",
              "ftruncate", "mkdir", "unlink"]


def compile_library(source: Path, folder: Path) -> Path:
    """Compiles a C file into a library in `folder` to be preloaded; returns its path."""
    compiler = shutil.which("clang") or shutil.which("cc")
    if compiler is None:
        raise Unable("there is no C compiler: install clang, or gcc and libc6-dev")
    library = folder / source.with_suffix(".so").name
    done = subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-Wall", "-o", library, source, "-ldl"],
        capture_output=True, text=True)
    if done.returncode != 0:
        raise Unable(f"{source.name} cannot be compiled; install clang, or gcc and libc6-dev: {done.stderr}")
    return library


def wrong_clock(folder: Path) -> Path:
    """Compiles the library that shows a program another time on the wall; returns its path."""
    return compile_library(Path(__file__).with_name("wrongclock.c"), folder)


def strace(output: Path, *options: str) -> tuple[str, ...]:
    """The words that run a command under strace, which writes to `output`."""
    if shutil.which("strace") is None:
        raise Unable("there is no strace: install the package strace")
    return ("strace", "-f", "--seccomp-bpf", "-yy", "-qq", "-s", "50000000", "-o", str(output), *options)
