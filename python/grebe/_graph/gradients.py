# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions that return several nodes."""
from __future__ import annotations

import ctypes as c
from collections.abc import Mapping, Sequence
from typing import Any, TYPE_CHECKING

from .._c.call import Call, tape_of
from .._c.convert import array_in, from_c, to_c
from .._c.library import lib
from .._c.types import struct

if TYPE_CHECKING:
    from .node import Node


def grads(y: Node, xs: Sequence[Node]) -> list[Node]:
    """Returns the gradients of a scalar node with respect to several nodes, by one walk: a list."""
    call = Call(tape_of(y, xs))
    count, address = array_in('gb_node', xs, call, 'xs')
    room = (struct('gb_node') * max(1, count))()
    call.run(lib.gb_grads, to_c('gb_node', y, call, 'y'), address, count, c.addressof(room))
    return [from_c('gb_node', room[i], call.tape) for i in range(count)]


def replaced(roots: Node | Sequence[Node], places: Mapping[Node, Node]) -> Any:
    """Returns what nodes would be if others stood in the place of some: replaced(loss, {w: elsewhere}).
    `roots` is a node, or a list of them, and so is the result. Fails if a draw lies between."""
    single = hasattr(roots, '_c')
    roots = [roots] if single else list(roots)
    call = Call(tape_of(roots, places))
    count, start = array_in('gb_node', list(places), call, 'places')
    _, to = array_in('gb_node', list(places.values()), call, 'places')
    _, from_roots = array_in('gb_node', roots, call, 'roots')
    room = (struct('gb_node') * max(1, len(roots)))()
    call.run(lib.gb_replaced, count, start, to, len(roots), from_roots, c.addressof(room))
    found = [from_c('gb_node', room[i], call.tape) for i in range(len(roots))]
    return found[0] if single else found
