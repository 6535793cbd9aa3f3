# SPDX-License-Identifier: GPL-3.0-or-later
"""Reductions: gb_sum, gb_sum_along and gb_sum_over are one function, gb.sum(x, axis=…, over=…)."""
import functools

from .._c.convert import whole as whole_number
from .._c.interface import FUNCTIONS


def merged(name):
    """Returns the function of a reduction; None if the name is none."""
    if f'gb_{name}_along' not in FUNCTIONS:
        return None
    return _made(name)


@functools.lru_cache(None)
def _made(name):
    from .._c.functions import Function
    whole, along = Function(f'gb_{name}'), Function(f'gb_{name}_along')
    over = Function(f'gb_{name}_over') if f'gb_{name}_over' in FUNCTIONS else None

    def reduction(x, axis=None, *, over=None, keepdims=False):
        if over is not None:
            if _over is None:
                raise TypeError(f'{name} has no form over hidden axes')
            if axis is not None:
                raise TypeError(f'{name}: give one of axis and over')
            return _over(x, over)
        if axis is None and not keepdims:
            return whole(x)
        shape = getattr(x, 'shape', None)
        if shape is None:
            raise TypeError(f'{name}: x must be a node')
        axes = tuple(range(len(shape))) if axis is None else \
            tuple(axis) if isinstance(axis, (list, tuple)) else (whole_number(axis, f'{name}: axis'),)
        found = along(x, axes)
        if keepdims:
            places = {a % len(shape) for a in axes}
            found = found.reshape(tuple(1 if i in places else n for i, n in enumerate(shape)))
        return found

    _over = over
    reduction.__name__ = reduction.__qualname__ = name
    reduction.__doc__ = (whole.__doc__ or along.__doc__ or f'The {name} of the elements.') + \
        '\n\naxis: visible axes, as NumPy counts them; all by default.\nover: hidden axes instead: ' \
        'gb.SAMPLES, gb.ROWS.'
    reduction.entry = whole.entry
    return reduction
