# SPDX-License-Identifier: GPL-3.0-or-later
"""Indices of nodes, as NumPy's: numbers, slices, None, ..., and one array of whole numbers."""
import numpy as np

from .._c.convert import whole_array
from .node import Node, _call


def indexed(node, index):
    """Returns node[index]."""
    parts = index if isinstance(index, tuple) else (index,)
    parts = full(node, parts)
    check_arrays(parts)
    axis = 0
    for part in parts:
        if part is None:
            node = _call('expand', node, axis)
            axis += 1
        elif isinstance(part, slice):
            node = sliced(node, axis, part)
            axis += 1
        elif isinstance(part, Node) or np.ndim(part):
            array = part if isinstance(part, Node) else np.asarray(part)
            if not isinstance(array, Node) and array.dtype.kind == 'b':
                array = np.flatnonzero(array) if array.ndim == 1 and array.size == node.shape[axis] else None
                if array is None:
                    raise IndexError('a boolean index has one axis, of the size of the axis that it '
                                     'selects from')
            if not isinstance(array, Node):
                array = places(array, node.shape[axis], axis)
            node = _call('gather', node, axis, array)
            axis += len(array.shape)
        else:
            place = int(part.__index__()) if hasattr(part, '__index__') else None
            if place is None or isinstance(part, (bool, np.bool_)):
                raise IndexError(f'{part!r} is no index: use whole numbers, slices, None, or an array')
            place = place + node.shape[axis] if place < 0 else place
            if not 0 <= place < node.shape[axis]:
                raise IndexError(f'index {part} is out of range for axis {axis} of size {node.shape[axis]}')
            node = _call('squeeze', _call('slice', node, axis, place, place + 1), axis)
    return node


def is_array(part):
    return isinstance(part, Node) and part.ndim > 0 or not isinstance(part, (Node, slice)) and \
        part is not None and np.ndim(part) > 0


def check_arrays(parts):
    """With several arrays, or an array and a number that do not stand side by side, NumPy's axes are in an
    order of their own, which grebe does not imitate."""
    arrays = [i for i, part in enumerate(parts) if is_array(part)]
    if len(arrays) > 1:
        raise IndexError('an index has one array at most; NumPy would take element by element of several: '
                         'index a reshaped node by one array of places')
    chosen = [i for i, part in enumerate(parts) if part is not None and not isinstance(part, slice)]
    if arrays and chosen != list(range(chosen[0], chosen[-1] + 1)):
        raise IndexError('a number and an array of an index must stand side by side; else index in two '
                         'steps')


def places(array, size, axis):
    """Returns places along an axis, counted from its begin."""
    array = whole_array(array, 'an index')
    outside = array[(array < -size) | (array >= size)]
    if outside.size:
        raise IndexError(f'index {outside.flat[0]} is out of range for axis {axis} of size {size}')
    return np.where(array < 0, array + size, array)


def full(node, parts):
    """Replaces ... by slices of all axes that are not named."""
    named = sum(part is not None and part is not Ellipsis for part in parts)
    shape = node.shape
    if named > len(shape):
        raise IndexError(f'{named} indices for a node of the shape {shape}')
    dots = [i for i, part in enumerate(parts) if part is Ellipsis]
    if len(dots) > 1:
        raise IndexError('more than one ... in an index')
    if not dots:
        return parts
    rest = (slice(None),) * (len(shape) - named)
    return (*parts[:dots[0]], *rest, *parts[dots[0] + 1:])


def sliced(node, axis, part):
    size = node.shape[axis]
    begin, end, step = part.indices(size)
    if step < 0:
        count = len(range(begin, end, step))
        if not count:
            return _call('slice', node, axis, 0, 0)
        first = begin + (count - 1) * step
        node = _call('slice_step', node, axis, first, begin + 1, -step)
        return _call('flip', node, axis)
    end = max(begin, end)
    if (begin, end, step) == (0, size, 1):
        return node
    if step == 1:
        return _call('slice', node, axis, begin, end)
    return _call('slice_step', node, axis, begin, end, step)
