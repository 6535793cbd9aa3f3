# SPDX-License-Identifier: GPL-3.0-or-later
"""Does a method find the posterior of models like this one?"""
from __future__ import annotations

import ctypes as c
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._c.convert import float_array
from .._c.functions import made

if TYPE_CHECKING:
    from .._c.convert import Thing


def calibrate(make: Callable[..., Any], parameters: int, **options: Any) -> Thing:
    """Simulation-based calibration. `make(tape, number)` draws parameters from the prior and data from them,
    records the model on the tape, and fits it; it returns (the ELBO, the values of all latents that the data
    are of, in the order of recording).

    Options are those of gb.calibrate in C: simulations, draws, bins, seed. Returns a gb_calibration: print()
    is its table, and `words` say what is wrong."""
    def simulated(tape, number, truth):
        elbo, values = make(tape, number)
        array = float_array(values, 'the values that make returns').reshape(-1)
        if array.size != parameters:
            raise ValueError(f'make returned {array.size} values, and there are {parameters} parameters')
        c.memmove(truth, array.ctypes.data, array.nbytes)
        return elbo
    return made('gb_calibrate_with')(make=simulated, parameters=parameters, **options)
