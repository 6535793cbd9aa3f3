# SPDX-License-Identifier: GPL-3.0-or-later
"""Recursions: a step that is repeated along an axis."""
from __future__ import annotations

import collections
import ctypes as c
from collections.abc import Callable
from typing import Any, TYPE_CHECKING

from .._c.call import Call, tape_of
from .._c.callbacks import Closure
from .._c.convert import from_c, to_c
from .._c.functions import made, options_struct
from .._c.library import lib
from .node import Node
from .._c.types import struct

if TYPE_CHECKING:
    from .tape import Tape

Scan = collections.namedtuple('Scan', 'last output')
Scan.__doc__ = 'The states after the last step, and the outputs of all steps along the axis.'


def listed(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def scan(tape: Tape, step: Callable[..., Any], first: Any, inputs: Any = (), outputs: int = 1,
         **options: Any) -> Scan:
    """Records a recursion: state, output = step(state, input) for each place along an axis of the inputs.

        h = gb.scan(t, lambda h, y: (omega + alpha * y ** 2 + beta * h, h), h0, inputs=y)

    `step` is called once. It takes the states, then the inputs of one place, and returns (next state,
    output): single ones as nodes, several as lists. `outputs` is the number of outputs; with 0, `step`
    returns the state alone. Other options: axis, steps, reverse, recompute. Returns gb.Scan(last, output),
    single ones as nodes."""
    starts, inputs = listed(first), listed(inputs)
    call = Call(tape_of(tape, starts, inputs))

    def record(view):
        given = [at(view._struct.state, view.states, call.tape),
                 at(view._struct.input, view.inputs, call.tape)]
        found = step(*given[0], *given[1])
        if outputs and not (isinstance(found, (list, tuple)) and len(found) == 2):
            raise TypeError(f'the step returned {found!r}, and must return (next state, output); with '
                            'outputs=0 the state alone')
        states, results = found if outputs else (found, [])
        write(view._struct.next, listed(states), len(starts), call.tape, 'states')
        write(view._struct.output, listed(results), outputs, call.tape, 'outputs')
    closure = Closure('gb_scan_function', record)
    function = made('gb_scan_with')
    call.keep.append(closure)
    given = options_struct(function, {'inputs': inputs, 'outputs': outputs, **options}, call)
    nodes = to_c('gb_node_list', starts, call, 'first')
    result = call.run(lib.gb_scan_with, tape._pointer(), closure.address, nodes, c.byref(given))
    last = [from_c('gb_node', result.last[i], call.tape) for i in range(len(starts))]
    output = [from_c('gb_node', result.output[i], call.tape) for i in range(outputs)]
    return Scan(last if isinstance(first, (list, tuple)) else last[0], output if outputs != 1 else output[0])


def at(address, count, tape):
    made_ = struct('gb_node') * max(1, count)
    found = made_.from_address(address) if count else ()
    return [Node(node, tape) for node in found]


def write(address, values, count, tape, what):
    if len(values) != count:
        raise ValueError(f'the step returned {len(values)} {what}, and there are {count}')
    size = c.sizeof(struct('gb_node'))
    for i, value in enumerate(values):
        if value is None:
            raise TypeError(f'the step returned None among the {what}')
        node = to_c('gb_node', value, Call(tape), what)
        c.memmove(address + i * size, c.addressof(node), size)
