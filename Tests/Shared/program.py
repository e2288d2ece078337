"""The program under test: how a command line names it, and how a run of it ended."""

import argparse
import json
import os
from dataclasses import dataclass
from pathlib import Path


class Failed(Exception):
    """A promise does not hold: which check found it, where there are several, and what is wrong."""

    def __init__(self, *parts: str):
        super().__init__(": ".join(parts))


class Unable(Exception):
    """A test cannot run here; the text says what is missing and how to get it."""


@dataclass(frozen=True)
class Answer:
    """How a command ended and what it printed."""

    command: str
    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """The end of what it printed."""
        return f"{self.out[-1500:]}{self.err[-1500:]}"

    @property
    def document(self) -> dict:
        """Its JSON answer."""
        try:
            return json.loads(self.out)
        except ValueError:
            raise Failed("answer", f"{self.command} ended with {self.code} and no JSON: {self.said}") from None


def executable(text: str) -> Path:
    """The absolute path of a program that can be run."""
    if not os.access(text, os.X_OK):
        raise argparse.ArgumentTypeError(f"{text} cannot be run; build it with swift build -c release")
    return Path(text).resolve()


def arguments(about: str, program: str = "the rewards binary, a release build") -> argparse.ArgumentParser:
    """A parser of command lines whose first argument is the program."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=executable, help=program)
    return parser


def json_lines(documents: object) -> str:
    """JSON lines."""
    return "".join(json.dumps(document, separators=(",", ":")) + "\n" for document in documents)
