# SPDX-License-Identifier: GPL-3.0-or-later
"""Ctrl-C while C runs. Python would raise a KeyboardInterrupt where a function that C calls begins, and
lose it; and it learns of a signal only there, which may be late. So during a call a handler of C notes the
signal. Fits read the note after each step, functions that say whether to go on say no, and the interrupt is
raised when the call has returned, with everything consistent."""
import ctypes as c
import signal
import threading

from .library import lib


class Interrupts:
    """A context for calls of C. `came` is whether Ctrl-C was pressed in it. `callbacks` counts the functions
    of Python that C may call: while there are none, calls need no such context."""

    def __init__(self):
        self.depth, self.before, self.callbacks = 0, None, 0

    @property
    def note(self):
        """The note, as C has it."""
        return c.c_int.in_dll(lib.closures(), 'gb_interrupt')

    @property
    def came(self):
        return bool(self.before and self.concerned and self.note.value)

    @property
    def stop(self):
        """The address of the note, for calls that read it; None where no signal comes."""
        return c.addressof(self.note) if self.before and self.concerned else None

    @property
    def concerned(self):
        """Signals are Python's main thread's alone."""
        return threading.current_thread() is threading.main_thread()

    def __enter__(self):
        if self.concerned:
            self.depth += 1
            if self.depth == 1:
                before = signal.getsignal(signal.SIGINT)
                self.before = before if callable(before) else None
                if self.before:
                    lib.closures().gb_interrupt_begin()

    def __exit__(self, kind, exception, trace):
        if self.concerned:
            self.depth -= 1
            if not self.depth and self.before:
                before, self.before = self.before, None
                came = lib.closures().gb_interrupt_end()
                if came and exception is None:
                    before(signal.SIGINT, None)


interrupts = Interrupts()
