# SPDX-License-Identifier: GPL-3.0-or-later
"""The names of the package: functions, distributions, plug-ins, enums, constants and domains, all of them
from the description."""
import functools

from ._c import functions
from ._c.convert import Domain
from ._c.enums import class_name, enum_of
from ._c.interface import DATA, ENUMS
from ._c.library import lib
from ._c.types import struct
from ._graph.distribution import MEMBERS, Distribution, constructor

ENUM_CLASSES = {class_name(name): name for name in ENUMS if not name.startswith('anonymous')}
ENUMERATORS = {value['name'].removeprefix('GB_'): (name, value['value']) for name, entry in ENUMS.items()
               for value in entry['values']}


@functools.lru_cache(None)
def find(name):
    """Returns what gb.NAME is."""
    if name.startswith('__'):
        raise AttributeError(name)
    made = constructor(name)
    if made is not None:
        return made
    if name in ENUM_CLASSES:
        return enum_of(ENUM_CLASSES[name])
    upper = f'GB_{name}'
    if upper in DATA['objects_by_macro']:
        return Domain(lib.address(DATA['objects_by_macro'][upper]))
    if upper in DATA['constants']:
        return DATA['constants'][upper]
    if DATA['objects'].get(f'gb_{name}', {}).get('type') == 'const gb_dist':
        return constant(f'gb_{name}')
    if name in ENUMERATORS:
        enum, value = ENUMERATORS[name]
        return value if enum.startswith('anonymous') else enum_of(enum)(value)
    return functions.function(name)


def constant(name):
    """Returns a distribution that is an object of C, and on any tape: gb.no_prior."""
    value = struct('gb_dist').from_address(lib.address(name))
    return Distribution(lambda tape: value, name.removeprefix('gb_'))


def of(class_):
    """Returns what makes functions of methods: they take an object of the class first."""
    def made(method):
        @functools.wraps(method)
        def call(thing, *arguments, **options):
            if not isinstance(thing, class_):
                raise TypeError(f'{method.__name__}: the first argument is of type {type(thing).__name__}, '
                                f'and must be a gb.{class_.__name__}')
            return method(thing, *arguments, **options)
        return call
    return made


def names():
    return {*MEMBERS, *ENUM_CLASSES, *ENUMERATORS, *functions.names(),
            *(name.removeprefix('GB_') for name in {**DATA['constants'], **DATA['objects_by_macro']})}
