# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls of the library. A call finds its tape among the arguments, keeps what C borrows, and raises the error
of the tape, or the exception of a Python function that C has called."""
import contextlib
import re

from .errors import Error, Status, pending, status_words
from .interface import STRUCTS
from .interrupts import interrupts
from .library import lib


NOTHING = contextlib.nullcontext()


class Call:
    """One call while its arguments are converted. `tape` may be None: then numbers cannot become nodes."""

    def __init__(self, tape=None):
        self.tape = tape
        self.epoch = tape._epoch if tape is not None else 0
        self.keep = []      # what C reads during the call
        self.borrowed = []  # what C may read as long as the tape
        self.closures = []  # functions of Python among the arguments, those in plug-ins too

    def need_tape(self, what):
        if self.tape is None:
            raise TypeError(f'{what} is on no tape, and no other argument says on which: write '
                            'tape.constant(…) for a number, law.on(tape) for a distribution')
        self.tape._check()
        return self.tape

    def run(self, function, *arguments):
        """Calls a function of C with converted arguments, and raises what went wrong."""
        if self.tape is not None:
            self.tape._borrowed.extend(self.borrowed)
            self.tape._closures.extend(self.closures)
        with interrupts if interrupts.callbacks else NOTHING, self.held():
            result = function(*arguments)
            raise_errors(self.tape)
        return result


    def held(self):
        """The tape, if it is as it was when the arguments were converted. Calls of one tape wait for each
        other."""
        return self.tape._held(self.epoch) if self.tape is not None else NOTHING


OPTIONS = {field['name'] for name, entry in STRUCTS.items() if name.endswith('_options')
           for field in entry['fields']}


def in_python(words):
    """Returns a text of the library with the names of this package: gb_f(.x = 1) is gb.f(x=1)."""
    words = re.sub(r'GB_COLUMNS\(\{(\w+), gb_\w+\((\w+)\)\}\)', r'{\1: \2}', words)
    words = re.sub(r'GB_(?:ESTIMATORS|VALUES|WIDTHS|ROWS_OF)\(((?:[^()]|\([^()]*\))*)\)', r'[\1]', words)
    words = re.sub(r'(?<![\w.])\.(\w+)(?: = )', r'\1=', words)
    words = re.sub(r'(?<![\w./])\.(\w+)', lambda m: m[1] if m[1] in OPTIONS else m[0], words)
    words = re.sub(r'=(true|false)\b', lambda m: '=' + m[1].capitalize(), words)
    words = re.sub(r'\b(?:gb|GB)_(\w+?)(?:_with)?\b', r'gb.\1', words)
    return re.sub(r'\bNULL\b', 'None', words)


def raise_errors(tape):
    """Raises the exception of a callback, or the tape's error, and forgives the latter."""
    exception = pending.take()
    status = lib.gb_error(tape._address) if tape is not None and tape._address else 0
    if status:
        words = lib.gb_error_text(tape._address).decode('utf-8', 'replace')
        lib.gb_forgive(tape._address)
    if exception is not None:
        raise exception
    if status:
        raise Error(in_python(words), status)


def raise_status(status):
    """Raises a status that no tape explains."""
    if status != Status.OK:
        raise Error(status_words(lib, status), status)


def tape_of(*values):
    """Returns the tape of the first value that has one; looks into lists, tuples and dictionaries."""
    for value in values:
        if isinstance(value, (list, tuple)):
            found = tape_of(*value)
        elif isinstance(value, dict):
            found = tape_of(*value.keys(), *value.values())
        else:
            found = getattr(value, '_tape', None)
        if found is not None and not (getattr(value, '_free', None) and not found._address):
            found._check()  # but what is the caller's to free outlives its tape
            return found
    return None
