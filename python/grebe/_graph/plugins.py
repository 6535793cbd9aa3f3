# SPDX-License-Identifier: GPL-3.0-or-later
"""Plug-ins: estimators, baselines, posterior families, optimisers, schedules, bounds, ready models and priors
of coefficients. Their constructors are functions of the interface; this is the value that they return."""
import ctypes as c

from .._c.convert import Thing, _classes, _kinds
from .._c.errors import Error
from .._c.interface import KINDS, plain
from .._c.library import lib
from .._c.types import struct, text

VALUES = {kind.removesuffix('_kind') for kind in KINDS
          if f'{kind.removesuffix("_kind")}_parse' in dir(lib) and kind != 'gb_dist_kind'}


class Plugin(Thing):
    """A choice, such as gb.score(baseline=gb.leave_one_out()). Its text is what str() returns, and functions
    take a text in its place: "score:baseline=leave_one_out"."""

    def __init__(self, name, value, closures=()):
        super().__init__(name, value, None)
        self._closures = list(closures)  # functions of Python among its options, nested ones included

    @property
    def kind(self):
        return self._name.removeprefix('gb_')

    @property
    def name(self):
        """The name of its type; None for none."""
        head = self._struct.type and struct('gb_plugin').from_address(self._struct.type)
        return text(head.name) if head else None

    def __str__(self):
        buffer = c.create_string_buffer(2048)
        getattr(lib, f'{self._name}_text')(self._struct, buffer, len(buffer))
        return buffer.value.decode('utf-8', 'replace')

    def __repr__(self):
        return f'<grebe {self.kind}: {self}>'

    def __eq__(self, other):
        return isinstance(other, Plugin) and self._name == other._name and bytes(self._struct) == \
            bytes(other._struct)

    __hash__ = None


def parsed(name, words):
    """Returns the value of a text form. Fails with the library's words."""
    value, error = struct(name)(), c.create_string_buffer(1024)
    if not getattr(lib, f'{name}_parse')(words.encode(), c.byref(value), error, len(error)):
        raise Error(error.value.decode('utf-8', 'replace'))
    return value


def _to(name):
    def make(value, call, what):
        if value is None:
            return struct(name)()
        if isinstance(value, str):
            return parsed(name, value)
        if isinstance(value, Plugin) and value._name == name:
            call.closures.extend(value._closures)
            return value._struct
        kind = name.removeprefix('gb_')
        raise TypeError(f'{what} is of type {type(value).__name__}, and must be a plug-in of the kind '
                        f'{kind}, or its text')
    return make


for _name in VALUES:
    _kinds[_name] = _to(_name)
    _classes[_name] = (lambda name: lambda value, tape: Plugin(name, value))(_name)


def listed(kind):
    """Returns the members of a kind as the library has them: a list of {name, formula, cite, options}."""
    found = KINDS.get(f'gb_{kind}_kind')
    if found is None:
        there = ', '.join(sorted(name.removeprefix('gb_').removesuffix('_kind') for name in KINDS))
        raise ValueError(f'there is no kind {kind}; there are: {there}')
    return found['members']


assert plain('gb_estimator') in VALUES
