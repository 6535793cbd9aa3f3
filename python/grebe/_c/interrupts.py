# SPDX-License-Identifier: GPL-3.0-or-later
"""Ctrl-C while C runs. Python would raise a KeyboardInterrupt where a function that C calls begins, and
lose it. So during a call the signal is only noted: functions that say whether to go on say no, and the
interrupt is raised when the call has returned, with everything consistent."""
import signal
import threading


class Interrupts:
    """A context for calls of C. `came` is whether Ctrl-C was pressed in it. `callbacks` counts the functions
    of Python that C may call: while there are none, calls need no such context."""

    def __init__(self):
        self.depth, self.came, self.before, self.callbacks = 0, False, None, 0

    def note(self, number, frame):
        del number, frame
        self.came = True

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
                    signal.signal(signal.SIGINT, self.note)

    def __exit__(self, kind, exception, trace):
        if self.concerned:
            self.depth -= 1
            if not self.depth and self.before:
                before, came = self.before, self.came
                self.before, self.came = None, False
                signal.signal(signal.SIGINT, before)
                if came and exception is None:
                    before(signal.SIGINT, None)


interrupts = Interrupts()
