# SPDX-License-Identifier: GPL-3.0-or-later
"""The log joint density of a model as a function of arrays."""
from __future__ import annotations

import ctypes as c
from typing import Any, TYPE_CHECKING

import numpy as np

from .._c.arrays import structs_at
from .._c.call import Call
from .._c.convert import Thing, bounded, float_array
from .._c.functions import made
from .._c.library import lib
from .._c.types import text

if TYPE_CHECKING:
    from .elbo import ELBO
    from numpy.typing import ArrayLike


class Density(Thing):
    """log p(z) of the free numbers z of all latents, with gradients: what samplers and optimisers of your own
    need.

        d = gb.Density(e)
        log_p, gradient = d(np.zeros(d.count))              or of many points, (points, count)

    Options are those of gb.density_new: data, part_of_data, points_by_height."""

    def __init__(self, elbo: ELBO, **options: Any) -> None:
        found = made('gb_density_new_with')(elbo, **options)
        super().__init__('gb_density', found._address, elbo._tape)
        self.count = lib.gb_density_count(self._address)
        self.value_count = lib.gb_density_value_count(self._address)

    def _points(self, z, size):
        array = float_array(z, 'z')
        if array.ndim not in (1, 2) or array.shape[-1] != size:
            raise ValueError(f'z has the shape {array.shape}, and must be ({size},) or (points, {size})')
        return array, array.shape[:-1]

    def _mapped(self, function, z, size, results):
        """Calls a function of points; `results` are the numbers of each result for a point."""
        self._check()
        array, lead = self._points(z, size)
        found = [np.empty((*lead, *shape)) for shape in results]
        Call(self._tape).run(function, self._address, lead[0] if lead else 1, array.ctypes.data,
                             *(each.ctypes.data for each in found))
        return found

    def __call__(self, z: ArrayLike) -> tuple[Any, np.ndarray]:
        """Returns (log p, its gradient) at z. Where there is no density they are -inf and 0."""
        self._check()
        array, lead = self._points(z, self.count)
        log_p, gradient = np.empty(lead), np.empty(array.shape)
        Call(self._tape).run(lib.gb_density_evaluate, self._address, lead[0] if lead else 1,
                             array.ctypes.data, log_p.ctypes.data, gradient.ctypes.data, None)
        return (log_p, gradient) if lead else (float(log_p), gradient)

    def hessian(self, z: ArrayLike) -> np.ndarray:
        """Returns the matrix of second derivatives at one point."""
        self._check()
        array, lead = self._points(z, self.count)
        if lead:
            raise ValueError('z must be one point')
        found = np.empty((self.count, self.count))
        Call(self._tape).run(lib.gb_density_hessian, self._address, array.ctypes.data, found.ctypes.data)
        return found

    def values(self, z: ArrayLike) -> np.ndarray:
        """Returns the values of the latents at z, on their supports: one number after the other."""
        return self._mapped(lib.gb_density_values, z, self.count, [(self.value_count,)])[0]

    def free_numbers(self, values: ArrayLike) -> np.ndarray:
        """The reverse of `values`."""
        return self._mapped(lib.gb_density_free_numbers, values, self.value_count, [(self.count,)])[0]

    def draw(self, points: int, step: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Returns (points drawn from q, log q of them)."""
        self._check()
        points = bounded('size_t', points, 'points')
        z, log_q = np.empty((points, self.count)), np.empty(points)
        Call(self._tape).run(lib.gb_density_draw, self._address, step, points, z.ctypes.data,
                             log_q.ctypes.data)
        return z, log_q

    @property
    def parts(self):
        """The latents in the order of their numbers: {name: shape}."""
        count = c.c_size_t()
        address = lib.gb_density_parts(self._pointer(), c.addressof(count))
        return {text(part.name): tuple(part.shape.size[:part.shape.rank])
                for part in structs_at(address, 'gb_density_part', count.value)}
