# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs: the part of a tape that some roots need, run many times."""
from __future__ import annotations

import numpy as np
from typing import TYPE_CHECKING

from .._c.call import Call
from .._c.convert import Thing, bounded, register, to_c, whole
from .._c.library import lib
from .node import shaped
from .._c.types import struct

if TYPE_CHECKING:
    from .node import Node


class Program(Thing):
    """A program, from tape.program(loss, updates=…). `run` runs it once, and `read` returns what a root then
    has."""

    def __init__(self, address, tape, roots=()):
        super().__init__('gb_program', address, tape)
        self._roots = list(roots)
        self._ids = frozenset(root._c.id for root in self._roots)
        self._samples = self._run_samples = lib.gb_tape_samples(tape._address)

    @property
    def samples(self):
        """The number of samples of the next runs."""
        return self._samples

    @samples.setter
    def samples(self, count):
        call = Call(self._tape)
        count = to_c('int64_t', count, call, 'samples')
        call.run(lib.gb_program_set_samples, self._pointer(), count)
        self._samples = count

    @property
    def step(self):
        """The step, which decides the noise of the next run; each run adds 1."""
        return lib.gb_program_step(self._pointer())

    @step.setter
    def step(self, step):
        call = Call(self._tape)
        call.run(lib.gb_program_set_step, self._pointer(), to_c('uint64_t', step, call, 'step'))

    def run(self, times: int = 1) -> None:
        """Runs it, as a transaction: all variables change, or none does. Ctrl-C ends between two runs."""
        times = whole(times, 'times')
        if times < 0:
            raise ValueError(f'times is {times}, and must not be negative')
        ran = self._tape._ran
        for _ in range(times):
            Call(self._tape).run(lib.gb_run, self._pointer())
            self._run_samples = self._samples
            ran.pop(self._address, None)  # the latest stands last
            ran[self._address] = self._ids, self._samples

    def read(self, root: Node | int) -> np.ndarray:
        """Returns the value of a root after the latest run: by the node, or by its number."""
        which = bounded('size_t', root, 'root') if isinstance(root, (int, np.integer)) else self._place(root)
        call = Call(self._tape)
        count = call.run(lib.gb_program_root_count, self._pointer(), which)
        values = np.empty(count)
        call.run(lib.gb_read_root, self._pointer(), which, values.ctypes.data)
        return shaped(self._roots[which], values, self._run_samples)

    def _place(self, root):
        if not hasattr(root, '_c'):
            raise TypeError(f'{root!r} is of type {type(root).__name__}, and must be a root or its number')
        for i, node in enumerate(self._roots):
            if lib.gb_node_same(node._c, root._c):
                return i
        raise ValueError(f'{root!r} is no root of this program')

    def __call__(self) -> tuple[np.ndarray, ...]:
        """Runs it once and returns the values of its roots, as a tuple."""
        self.run()
        return tuple(self.read(i) for i in range(len(self._roots)))

    def close(self):
        """Frees it before its tape."""
        tape, address = getattr(self, '_tape', None), getattr(self, '_address', None)
        self._address = None
        if address and tape is not None and tape._address and self._epoch == tape._epoch:
            lib.gb_program_free(address)
            tape._ran.pop(address, None)

    def __del__(self):
        self._address = None  # the tape owns it


def compiled(tape, roots, updates=None):
    call = Call(tape)
    nodes = to_c('gb_node_list', list(roots), call, 'roots')
    call.borrowed.clear()  # C copies the list
    none = struct('gb_updates').from_address(lib.address('gb_no_update'))
    given = none if updates is None else to_c('gb_updates', updates, call, 'updates')
    return Program(call.run(lib.gb_compile, tape._pointer(), nodes, given), tape, roots)


register('gb_program', Program, lambda address, tape: Program(address, tape))
