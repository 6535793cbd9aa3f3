# SPDX-License-Identifier: GPL-3.0-or-later
"""Problems of your own, to compare estimators on."""
import ctypes as c

from .._c.call import Call
from .._c.callbacks import Closure, _forever
from .._c.convert import Thing, converts, float_array, from_c, register, set_field, to_c
from .._c.interface import STRUCTS
from .._c.library import lib
from .._c.types import struct
from .._graph.plugins import listed


class Trial(Thing):
    """A problem while it is recorded: parameter(name, shape, start), draw(name, law), rows(name, array),
    row_sum(x)."""

    def rows(self, name, values):
        """Returns an input with a value for each row of data: the first axis of `values`."""
        array = float_array(values, name)
        if not array.ndim:
            raise ValueError(f'{name} is a single number; rows need an axis')
        call = Call(self._tape)
        _forever.append(array)  # C borrows it until the comparison ends
        return from_c('gb_node', call.run(
            lib.gb_trial_rows, self._pointer(), to_c('char *', name, call, 'name'),
            to_c('gb_shape', array.shape[1:], call, name), len(array), array.ctypes.data), self._tape)


register('gb_trial', Trial, lambda address, tape: Trial('gb_trial', address, tape))


class OwnProblem:
    """An expectation of your own, to compare estimators on:

        class Ring(gb.OwnProblem):
            name, formula = "ring", "E (z - k)^2, z ~ N(mu, 1)"
            settings = {"k": 1.0}

            def cost(self, trial):
                mu = trial.parameter("mu", (), 0.5)
                z = trial.draw("z", gb.normal(mu, 1))
                return gb.square(z - self.k)

            def expected(self, trial): …                     the closed form, if there is one

    A setting is a number, or (number, lowest, highest)."""

    name = formula = exact = None
    settings = {}
    is_log_weight = expects_bound = False
    expected = None

    def __init__(self):
        if not self.name or not self.formula:
            raise TypeError(f'{type(self).__qualname__} needs a name and a formula')
        self._made = struct('gb_problem')()
        self._made.size = c.sizeof(self._made)
        call = Call()
        fields = {field['name']: field for field in STRUCTS['gb_problem']['fields']}
        for word in ('name', 'formula', 'exact', 'is_log_weight', 'expects_bound'):
            if getattr(self, word) is not None:
                set_field(self._made, fields[word], getattr(self, word), call, word)
        if len(self.settings) > len(self._made.settings) - 1:
            raise TypeError(f'{self.name} has {len(self.settings)} settings; at most '
                            f'{len(self._made.settings) - 1} are possible')
        for row, (word, value) in zip(self._made.settings, self.settings.items()):
            value, low, high = value if isinstance(value, tuple) else (value, -1e308, 1e308)
            row.name, row.words = word.encode(), word.encode()
            row.value, row.low, row.high = value, low, high
        self._made.cost = self._slot('cost')
        if self.expected is not None:
            self._made.expected = self._slot('expected')
        _forever.append(self._made)

    def _slot(self, word):
        def call(trial):
            for i, name in enumerate(self.settings):
                setattr(self, name, trial.setting[i])
            return getattr(self, word)(trial)
        call.__qualname__ = f'{type(self).__qualname__}.{word}'
        closure = Closure(f'gb_problem.{word}', call)
        _forever.append(closure)
        return closure.address


def problem_of(value):
    """Returns the address of a problem: by its name, of your own, or a class of your own."""
    if isinstance(value, str):
        found = lib.gb_problem_find(value.encode())
        if not found:
            names = ', '.join(member['name'] for member in listed('problem'))
            raise ValueError(f'there is no problem {value}; there are: {names}')
        return found
    if isinstance(value, type) and issubclass(value, OwnProblem):
        value = value()
    if isinstance(value, OwnProblem):
        _forever.append(value)
        return c.addressof(value._made)
    if isinstance(value, Thing) and value._name == 'gb_problem':
        return value._pointer()
    raise TypeError(f'{value!r} is no problem: give its name, or a class of gb.OwnProblem')


@converts('gb_problem *')
def _problem(value, call, what):
    del call, what
    return None if value is None else problem_of(value)
