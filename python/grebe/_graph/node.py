# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes: values of the graph, with the operators of Python. Numbers and arrays beside a node become constants
of its tape."""
from __future__ import annotations

import ctypes as c
import math
from typing import Any, TYPE_CHECKING

import numpy as np

from .._c.call import Call
from .._c.convert import _classes, _kinds, array_of, from_c, float_array, sequence, to_c, whole, \
    whole_array
from .._c.errors import Error, Status
from .._c.library import lib
from .._c.types import struct, text

if TYPE_CHECKING:
    from .tape import Tape
    from numpy.typing import ArrayLike

INTEGERS, BOOLEANS = 2, 3  # gb_takes
SAMPLES, ROWS = 1, 1 << 63


class Node:
    """The handle of one operation's value. It has a shape, and knows its operands; it has no value until a
    program has run, or it is read before any program has (`value`)."""

    __slots__ = ('_tape', '_c', '_epoch', '__weakref__')
    __array_ufunc__ = None  # operators of NumPy leave nodes to ours

    def __array_function__(self, function, types, arguments, named):
        """Functions of NumPy would take the present value, and lose the graph."""
        if function in (np.shape, np.ndim) and isinstance(arguments[0], Node):
            return getattr(arguments[0], function.__name__)
        raise TypeError(f'np.{function.__name__} takes numbers, and a node is part of a graph: write '
                        'gb.NAME for a function of grebe, node.value for numbers')

    def __init__(self, value, tape):
        self._tape, self._c = tape, type(value).from_buffer_copy(value)
        self._epoch = tape._epoch

    def _check(self):
        self._tape._check()
        if self._epoch != self._tape._epoch:
            raise Error('the node is of an earlier recording: its tape was reset')

    @property
    def tape(self) -> Tape:
        return self._tape

    @property
    def shape(self) -> tuple[int, ...]:
        """The visible axes: those of one draw and one datum."""
        with self._tape._lock:
            self._check()
            return from_c('gb_shape', lib.gb_node_shape(self._c), self._tape)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def axes(self) -> int:
        """The set of hidden axes, joined by |: gb.SAMPLES, gb.ROWS, those of sites."""
        with self._tape._lock:
            self._check()
            return lib.gb_node_axes(self._c)

    @property
    def op(self) -> str:
        """The name of the operation, such as "add"."""
        with self._tape._lock:
            self._check()
            return text(lib.gb_node_op_name(self._c))

    @property
    def name(self) -> str:
        with self._tape._lock:
            self._check()
            return text(lib.gb_node_name(self._c))

    @property
    def value(self) -> np.ndarray:
        """The value as a new array, hidden axes first. Variables and constants have one at any time, roots of
        a program after its run, other nodes before the first run; tape.evaluate(node) finds it at any
        time."""
        return read(self)

    @value.setter
    def value(self, values):
        self.set(values)

    def set(self, values: ArrayLike) -> None:
        """Sets the values of a variable."""
        array = float_array(values, 'values')
        call = Call(self._tape)
        self._check()
        if array.ndim and array.shape != self.shape:
            raise Error(f'variable {self.name} has the shape {self.shape}, and the values {array.shape}')
        made = struct('gb_values')(array.ctypes.data, array.size) if array.ndim else \
            struct('gb_values')(fill=float(array))
        call.run(lib.gb_set, self._c, made)

    def feed(self, values: ArrayLike, *, borrow: bool = False) -> None:
        """Feeds an input; the rows are the first axis. With `borrow`, C-contiguous numbers of the tape's own
        type are not copied, and must stay as they are until the next feed."""
        self._check()
        array = array_of(values, 'values')
        shape = self.shape
        rows = array.shape[0] if self.axes & ROWS and array.ndim else 1
        wanted = ((rows,) if self.axes & ROWS else ()) + shape
        if array.shape != wanted:
            shown = ('rows', *shape) if self.axes & ROWS else wanted
            raise Error(f'input {self.name} takes {shown}, and '
                        f'the array has the shape {array.shape}')
        call = Call(self._tape)
        ints = lib.gb_node_type(self._c) == 1
        if borrow:
            real = [np.float64, np.float32][lib.gb_tape_real(self._tape._address)]
            own = {np.float64: np.int64, np.float32: np.int32}[real] if ints else real
            if array.dtype != own or not array.flags.c_contiguous:
                raise TypeError(f'only a C-contiguous array of {np.dtype(own)} is borrowed')
            call.run(lib.gb_feed_borrowed, self._c, array.ctypes.data, rows)
            self._tape._lend(self._c.id, array)
        elif ints:
            array = whole_array(array, f'input {self.name}', floats=True)
            call.run(lib.gb_feed_ints, self._c, array.ctypes.data, rows)
        elif array.dtype == np.float32:
            array = np.ascontiguousarray(array)
            call.run(lib.gb_feed_float, self._c, array.ctypes.data, rows)
        else:
            array = float_array(array, 'values')
            call.run(lib.gb_feed, self._c, array.ctypes.data, rows)

    def named(self, name: str) -> Node:
        """Names the node for messages and tables, and returns it."""
        return _call('named', self, name)

    # ---- operators ----

    def __add__(self, other):
        return binary('add', self, other)

    def __radd__(self, other):
        return binary('add', other, self)

    def __sub__(self, other):
        return binary('sub', self, other)

    def __rsub__(self, other):
        return binary('sub', other, self)

    def __mul__(self, other):
        return binary('mul', self, other)

    def __rmul__(self, other):
        return binary('mul', other, self)

    def __truediv__(self, other):
        return binary('div', self, other)

    def __rtruediv__(self, other):
        return binary('div', other, self)

    def __pow__(self, other):
        if isinstance(other, (int, float)) and other == 2:
            return _call('square', self)
        return binary('pow', self, other)

    def __rpow__(self, other):
        return binary('pow', other, self)

    def __matmul__(self, other):
        return binary('matmul', self, other)

    def __rmatmul__(self, other):
        return binary('matmul', other, self)

    def __neg__(self):
        return _call('neg', self)

    def __pos__(self):
        return self

    def __abs__(self):
        return _call('abs', self)

    def __lt__(self, other):
        return binary('less', self, other)

    def __le__(self, other):
        return binary('less_equal', self, other)

    def __gt__(self, other):
        return binary('greater', self, other)

    def __ge__(self, other):
        return binary('greater_equal', self, other)

    def __eq__(self, other):
        return binary('equal', self, other)

    def __ne__(self, other):
        found = binary('equal', self, other)
        return found if found is NotImplemented else _call('not', found)

    def __and__(self, other):
        return binary('and', self, other)

    def __or__(self, other):
        return binary('or', self, other)

    def __rand__(self, other):
        return binary('and', other, self)

    def __ror__(self, other):
        return binary('or', other, self)

    def __invert__(self):
        return _call('not', self)

    def __hash__(self):
        return hash((self._c.id, self._c.generation))

    def __bool__(self):
        raise TypeError('a node has no truth value before a program runs: use gb.where(condition, x, y), or '
                        'node.value')

    def __float__(self) -> float:
        return float(self.value)

    def __len__(self) -> int:
        shape = self.shape
        if not shape:
            raise TypeError('a node without axes has no length')
        return shape[0]

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.value, dtype)

    def __getitem__(self, index: Any) -> Node:
        from .index import indexed
        return indexed(self, index)

    @property
    def T(self) -> Node:
        """The axes in reverse order."""
        return _call('transpose', self, ())

    def reshape(self, *shape: Any) -> Node:
        """The same elements in another shape; one size may be -1."""
        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], (int, np.integer)) else shape
        shape = [whole(size, 'reshape: a size') for size in sequence(shape, 'reshape: shape')]
        if shape.count(-1) == 1:
            rest = int(np.prod([size for size in shape if size != -1]))
            shape[shape.index(-1)] = int(np.prod(self.shape)) // rest if rest else 0
        return _call('reshape', self, tuple(shape))

    def __getattr__(self, name):
        if name.startswith('_'):
            raise AttributeError(name)
        from .._c.functions import method
        return method(self, 'gb_node', name)

    def __dir__(self):
        from .._c.functions import node_methods
        return sorted({*super().__dir__(), *node_methods()})

    def __repr__(self):
        if not self._tape._address or self._epoch != self._tape._epoch:
            return '<grebe.Node, gone with its tape>'
        hidden = ''.join(word for bit, word in ((SAMPLES, ', over samples'), (ROWS, ', over rows'))
                         if self.axes & bit)
        name = f' "{self.name}"' if self.name else ''
        return f'<grebe.Node{name}: {self.op}, shape {self.shape}{hidden}>'


def binary(name, x, y):
    """Applies a function of two nodes, one of which may be numbers; NotImplemented for other types."""
    for each in (x, y):
        if not isinstance(each, (Node, int, float, list, tuple)) and not hasattr(each, '__array__'):
            return NotImplemented
    return _call(name, x, y)


def _call(name, *arguments, **options):
    from .._c.functions import function
    return function(name)(*arguments, **options)


def hidden_shape(node, count, samples):
    """Returns the sizes of the hidden axes of a value of `count` numbers, in their order."""
    axes, shape = node.axes, []
    for bit in range(64):
        if axes >> bit & 1:
            size = lib.gb_site_axis_size(node._tape._address, 1 << bit)
            shape.append(size if size >= 0 else samples if bit == 0 and axes & ROWS else -1)
    visible = int(np.prod(node.shape, dtype=np.int64))
    if -1 in shape and not visible:
        shape[shape.index(-1)] = 0
    return shape


def read(node, samples=None):
    """Returns the value of a node as an array."""
    node._check()
    call = Call(node._tape)
    try:
        count = call.run(lib.gb_value_count, node._c)
    except Error as error:
        if error.status == Status.EREAD:
            raise Error(f'{error}, or evaluate it: tape.evaluate(node)', error.status) from None
        raise
    values = np.empty(count)
    call.run(lib.gb_read, node._c, values.ctypes.data, count)
    return shaped(node, values, samples)


def shaped(node, values, samples=None):
    samples = node._tape._samples_of(node) if samples is None else samples
    hidden = hidden_shape(node, values.size, samples)
    known = math.prod(size for size in (*hidden, *node.shape) if size >= 0)
    if known != values.size if -1 not in hidden else known and values.size % known:
        raise Error(f'{node!r} has {values.size} numbers, which {samples} samples do not explain: read it '
                    'from its program, or evaluate it')
    values = values.reshape((*hidden, *node.shape))
    type_ = lib.gb_node_type(node._c)
    return values if type_ == 0 else values.astype(np.int64 if type_ == 1 else bool)


def to_node(value, call, what, takes=0):
    """Returns the gb_node of a node, or of numbers, which become a constant. None is no node."""
    if isinstance(value, Node):
        value._check()
        if call.tape is not None and value._tape is not call.tape:
            raise Error(f'{what} is on another tape')
        return value._c
    if value is None:
        return struct('gb_node')()
    if isinstance(value, (list, tuple)) and any(isinstance(each, Node) for each in value):
        return _call('stack', list(value), 0)._c
    tape = call.need_tape(what)
    if takes == INTEGERS:
        return tape._ints(value, what)._c
    if isinstance(value, (str, bytes, dict)) or callable(value):
        raise TypeError(f'{what} is of type {type(value).__name__}, and must be a node or numbers')
    array = float_array(value, what)
    if not array.ndim:
        node = call.run(lib.gb_num, tape._address, float(array))
    else:
        call.keep.append(array)
        node = call.run(lib.gb_constant, tape._address, to_c('gb_shape', array.shape, call, what),
                        struct('gb_values')(array.ctypes.data, array.size))
    if takes == BOOLEANS:
        node = call.run(lib.gb_equal, node, call.run(lib.gb_num, tape._address, 1.0))
    return node


def from_node(value, tape):
    """Returns a node; None for an inert one. The tape is that of the node."""
    if not value.tape:
        return None
    if tape is None or tape._address != value.tape:
        from .tape import tape_at
        tape = tape_at(value.tape)
    return Node(value, tape)


_kinds['gb_node'] = to_node
_classes['gb_node'] = from_node
assert c.sizeof(struct('gb_node')) == 16
