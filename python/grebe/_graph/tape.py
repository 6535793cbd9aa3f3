# SPDX-License-Identifier: GPL-3.0-or-later
"""A tape: the owner of all that is recorded on it."""
from __future__ import annotations

import contextlib
import ctypes as c
import threading
import weakref
from collections.abc import Sequence
from typing import Any, TYPE_CHECKING

import numpy as np

from .._c.call import Call, raise_errors
from .._c.callbacks import lent
from .._c.convert import array_of, bounded, float_array, from_c, register, to_c, whole_array
from .._c.enums import enum_value
from .._c.errors import Error, pending
from .._c.library import lib
from .._c.types import struct

if TYPE_CHECKING:
    from .._c.convert import Thing
    from .node import Node
    from .program import Program
    from numpy.typing import ArrayLike
    Shape = int | Sequence[int]

_tapes = weakref.WeakValueDictionary()  # by address


class Tape:
    """The list of operations that a program records, and the owner of all that is made on it.

        t = gb.Tape(seed=1)
        x = t.variable("x", [1.0, 2.0])
        y = (x * gb.exp(x)).sum()
        print(t.evaluate(gb.grad(y, x)))

    Nodes, ELBOs and results keep their tape. After `close`, at the end of a `with` block, they raise an error
    when they are used. A tape is not shared between threads at one time: calls wait for each other."""

    def __init__(self, seed: int = 0, *, real: str | int = 'double', threads: int = 0, samples: int = 0,
                 flush_subnormals: bool = False) -> None:
        made = struct('gb_tape_options')
        options = made(size=c.sizeof(made), seed=bounded('uint64_t', seed, 'seed'),
                       real=enum_value('gb_real', real, 'real'), threads=bounded('int', threads, 'threads'),
                       samples=bounded('int64_t', samples, 'samples'),
                       flush_subnormals=bool(flush_subnormals))
        address = lib.gb_tape_new_with(c.byref(options))
        if not address:
            raise MemoryError('there is no memory for a tape')
        self._begin(address, True)
        try:
            raise_errors(self)
        except Error:
            self.close()
            raise

    def _begin(self, address, owned):
        self._address, self._owned = address, owned
        self._lock, self._borrowed, self._closures = threading.RLock(), [], []
        self._epoch, self._calls = 0, 0
        self._fed, self._sets_aside = {}, False  # arrays that inputs borrow, by the ids of these
        self._dropped = []  # (function, address, epoch): what the tape frees, and Python has no more
        self._ran = {}  # programs that have run, by address: (ids of roots, samples); the latest stands last
        _tapes[address] = self

    @property
    def _tape(self):
        return self

    def _check(self):
        if not self._address:
            raise Error('the tape is closed: what was recorded on it is gone')

    @contextlib.contextmanager
    def _held(self, epoch=None):
        """The tape, for one call of C: another thread may have closed it in the meantime."""
        with self._lock:
            self._check()
            if epoch not in (None, self._epoch):
                raise Error('the tape was reset by another thread')
            self._free_dropped()
            self._calls += 1
            try:
                yield
            finally:
                self._calls -= 1

    def _drop(self, function, address, epoch):
        """Frees what the tape owns, at the tape's next call: a garbage collection may be in the midst of
        one."""
        self._dropped.append((function, address, epoch))

    def _free_dropped(self):
        while self._dropped and not self._calls:
            function, address, epoch = self._dropped.pop()
            if epoch == self._epoch:
                getattr(lib, function)(address)

    def _at_rest(self, what):
        """Fails within a call, which needs the tape when its callback returns."""
        if self._calls:
            raise Error(f'the tape cannot be {what} by a function that one of its calls has called: the call '
                        'needs it afterwards')

    def close(self) -> None:
        """Frees the tape and all that was recorded on it. Whatever is used later raises an error."""
        with self._lock:
            if self._owned:
                self._at_rest('closed')
            address, self._address = self._address, None
            if address:
                _tapes.pop(address, None)
                if self._owned:
                    lib.gb_tape_free(address)
        if address:
            self._borrowed, self._closures, self._fed = [], [], {}
            exception = pending.take() if self._owned else None  # of a function that was called at the end
            if exception is not None:
                raise exception

    def __enter__(self) -> Tape:
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, '_address', None):
            self.close()

    def __reduce_ex__(self, protocol):
        raise TypeError('a tape cannot be copied or pickled: each process makes its own')

    def __repr__(self):
        if not self._address:
            return '<grebe.Tape, closed>'
        return f'<grebe.Tape of {lib.gb_tape_length(self._address)} nodes>'

    def reset(self) -> None:
        """Removes all nodes, programs and streams. Variables keep their values under their names."""
        with self._held():
            self._calls -= 1
            try:
                self._at_rest('reset')
            finally:
                self._calls += 1
            self._epoch += 1  # what was recorded is gone, whatever a function that is called then raises
            self._ran.clear()
            self._fed.clear()
            Call(self).run(lib.gb_tape_reset, self._address)

    # ---- leaves ----

    def constant(self, values: ArrayLike) -> Node:
        """Records numbers as a constant: a number, an array of NumPy, lists."""
        if values is None:
            raise TypeError('values is None, and must be numbers')
        return from_c('gb_node', to_c('gb_node', values, Call(self), 'values'), self)

    def ints(self, values: ArrayLike) -> Node:
        """Records integers as a constant of integers, such as indices."""
        return self._ints(values, 'values')

    def _ints(self, values, what):
        array = whole_array(values, what)
        call = Call(self)
        return from_c('gb_node', call.run(lib.gb_ints, self._pointer(),
                                          to_c('gb_shape', array.shape, call, ''),
                                          array.ctypes.data), self)

    def variable(self, name: str, start: ArrayLike = 0.0, shape: Shape | None = None) -> Node:
        """Makes a variable: a named array that outlives a run. It starts as `start`, which is an array, or a
        number for all elements of `shape`."""
        array = float_array(start, 'start')
        call = Call(self)
        if shape is not None and array.ndim:
            made = to_c('gb_shape', shape, call, 'shape')
            if tuple(made.size[:made.rank]) != array.shape:
                raise ValueError(f'variable {name}: start has the shape {array.shape}, and the variable '
                                 f'{tuple(made.size[:made.rank])}')
        shape = array.shape if shape is None else shape
        values = struct('gb_values')(fill=float(array)) if not array.ndim else \
            struct('gb_values')(array.ctypes.data, array.size)
        return from_c('gb_node', call.run(lib.gb_variable, self._pointer(),
                                          to_c('char *', name, call, 'name'),
                                          to_c('gb_shape', shape, call, 'shape'), values), self)

    def __getitem__(self, name: str) -> Node:
        """Returns the variable of that name, such as "w.location"."""
        call = Call(self)
        return from_c('gb_node', call.run(lib.gb_variable_named, self._pointer(),
                                          to_c('char *', name, call, 'name')), self)

    @property
    def variables(self) -> dict[str, Node]:
        """The variables of this recording, by name."""
        count = lib.gb_tape_variables(self._pointer(), None, 0)
        found = (struct('gb_node') * count)()
        lib.gb_tape_variables(self._pointer(), found, count)
        nodes = [from_c('gb_node', struct('gb_node').from_buffer_copy(node), self) for node in found]
        return {lib.gb_variable_name(node._c).decode(): node for node in nodes}

    def input(self, name: str, shape: Shape = (), *, rows: bool = False, ints: bool = False) -> Node:
        """Makes an input, which node.feed(array) feeds before a run; with `rows`, one value for each row."""
        call = Call(self)
        function = getattr(lib, f'gb_input{"_rows" if rows else ""}{"_ints" if ints else ""}')
        return from_c('gb_node', call.run(function, self._pointer(), to_c('char *', name, call, 'name'),
                                          to_c('gb_shape', shape, call, 'shape')), self)

    def rows(self, name: str, values: ArrayLike, *, ints: bool = False) -> Node:
        """Makes an input with rows and feeds it: the first axis of `values` are the rows."""
        array = array_of(values, name)
        if not array.ndim:
            raise ValueError(f'{name} is a single number; rows need an axis')
        node = self.input(name, array.shape[1:], rows=True, ints=ints)
        node.feed(array)
        return node

    def stream(self, name: str) -> Thing:
        """Makes a stream of noise, for gb.normal_noise, gb.sample and others."""
        call = Call(self)
        return from_c('gb_noise', call.run(lib.gb_stream, self._pointer(),
                                           to_c('char *', name, call, 'name')),
                      self)

    # ---- running ----

    def program(self, *roots: Node, updates: Thing | None = None) -> Program:
        """Compiles a program that keeps the values of these nodes, and carries out these updates."""
        from .program import compiled
        return compiled(self, roots, updates)

    def evaluate(self, *nodes: Node, samples: int | None = None) -> Any:
        """Returns the values of nodes, as arrays of NumPy: one, or a tuple. It runs a program of its own,
        which changes no variable."""
        nodes = [node if hasattr(node, '_c') else self.constant(node) for node in nodes]
        for node in nodes:
            if node._tape is not self:
                raise Error('a node is on another tape')
        program = self.program(*nodes)
        try:
            if samples is not None:
                program.samples = samples
            program.run()
            found = tuple(program.read(node) for node in nodes)
        finally:
            program.close()
        return found[0] if len(found) == 1 else found

    def _lend(self, place, array):
        """Keeps an array that an input borrows. The one before is no longer read, unless a call in progress
        or feeds that were set aside may give it back."""
        if place in self._fed and (self._calls or self._sets_aside):
            self._borrowed.append(self._fed[place])
        self._fed[place] = array

    def _samples_of(self, node):
        """Returns the number of samples of a value that can be read."""
        for ids, samples in reversed(self._ran.values()):
            if node._c.id in ids:
                return samples
        return lib.gb_tape_samples(self._address)

    def _pointer(self):
        self._check()
        return self._address

    def __getattr__(self, name):
        if name.startswith('_'):
            raise AttributeError(name)
        from .._c.functions import method
        return method(self, 'gb_tape', name)


def tape_at(address):
    """Returns the tape at an address: one of ours, or one that C made and has lent for a callback."""
    found = _tapes.get(address)
    if found is None:
        found = Tape.__new__(Tape)
        found._begin(address, False)
        lent.tapes.append(found)
    return found


def known_tape(address):
    return _tapes.get(address)


register('gb_tape', Tape, tape_at)
