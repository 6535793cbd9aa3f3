# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors: what the library rejects is raised with its words. The tape's error is forgiven then, so that a
notebook can go on: nothing inert is left, since the call has returned nothing."""
import threading

from .enums import enum_of
from .types import text

Status = enum_of('gb_status')


class Error(RuntimeError):
    """What grebe rejects, in its own words. `status` is the code, such as gb.Status.ESHAPE."""

    def __init__(self, words, status=Status.EARGUMENT):
        super().__init__(words)
        self.status = Status(status)

    def __reduce__(self):
        return type(self), (str(self), int(self.status))  # from a worker of multiprocessing


class Pending(threading.local):
    """Exceptions of Python functions that C has called, until the call of C returns."""

    def __init__(self):
        self.exceptions = []

    def add(self, exception):
        if not self.exceptions:
            self.exceptions.append(exception)

    def take(self):
        found, self.exceptions = self.exceptions, []
        return found[0] if found else None


pending = Pending()


def status_words(lib, status):
    return text(lib.gb_status_text(status))
