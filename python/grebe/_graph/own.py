# SPDX-License-Identifier: GPL-3.0-or-later
"""Plug-ins written in Python: a class whose methods are the slots of a type struct. The struct lives as
long as the process, since nodes and values may be anywhere."""
from __future__ import annotations

import ctypes as c
import functools

from .._c.call import Call
from .._c.callbacks import Closure, _forever, keep_forever
from .._c.convert import Domain, Thing, _classes, domain as find_domain, set_field, to_c
from .distribution import make_own
from .._c.errors import Error
from .._c.functions import function, refuse_zero
from .._c.interface import CALLBACKS, STRUCTS, plain
from .._c.library import lib
from .node import from_node
from .plugins import Plugin
from .._c.types import struct

NUMBER, FLAG = 1, 3  # gb_option_form
BUILT = {'size', 'options', 'option_bytes', 'param', 'alternative', 'reserved'}  # members that are made here


class Source(Thing):
    """Where the draws of a distribution come from: `noise`, `shape`, `axes`. source.uniform() is
    gb.uniform_noise(source.noise, source.shape, source.axes); so are normal, exponential, gumbel …"""

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            noise = function(f'{name}_noise')
        return functools.partial(noise, self.noise, self.shape, self.axes)


_classes['gb_source'] = lambda value, tape: Source('gb_source', value, tape)


def text_of(value):
    return keep_forever(value.encode())


class Own:
    """What all plug-ins of Python have: `name`, `formula`, and methods. `_type()` is the address of the
    type."""

    _type_name, _made = None, None
    name = formula = cite = None

    @classmethod
    def _type(cls):
        if '_made' not in cls.__dict__:
            cls._made = cls._build()
        return c.addressof(cls._made)

    @classmethod
    def _build(cls):
        """Returns the type struct, with a function for each slot that the class has a method for."""
        if not cls.name or not cls.formula:
            raise TypeError(f'{cls.__qualname__} needs a name and a formula, one line each')
        made, call = struct(cls._type_name)(), Call()
        made.size = c.sizeof(made)
        for field in STRUCTS[cls._type_name]['fields']:
            word = field['name']
            slot = CALLBACKS.get(field['type'])
            value = getattr(cls, word, None)
            if slot is not None and callable(value):
                closure = Closure(field['type'], cls._slot(word, slot))
                _forever.append(closure)
                setattr(made, word, closure.address)
            elif slot is None and value is not None and word not in BUILT:
                set_field(made, field, value, call, f'{cls.__qualname__}.{word}')
        _forever.extend([made, call])
        return made

    @classmethod
    def _slot(cls, word, slot):
        """Returns the function behind a slot: it finds the options, and calls the method."""
        taken = [p for p in slot['parameters'] if not (p['name'] == 'user' and plain(p['type']) == 'void *')]

        def call(*arguments):
            self = object.__new__(cls)
            self.options, given = None, []
            for parameter, value in zip(taken, arguments):
                if parameter['name'] == 'options' and plain(parameter['type']) == 'void *':
                    self.options = cls._read_options(value)
                else:
                    given.append(value)
                    if isinstance(value, Thing) and value._name in ('gb_site', 'gb_update_step'):
                        self.options = cls._read_options(value.options)
            return getattr(self, word)(*given)
        call.__qualname__ = f'{cls.__qualname__}.{word}'
        return call

    @classmethod
    def _read_options(cls, address):
        del address

    def __repr__(self):
        return f'<grebe {self._type_name}: {self.name}>'


class OwnDistribution(Own):
    """A distribution of your own (docs/python.md has one). Calling the class returns a gb.Distribution.

        class Laplace(gb.OwnDistribution):
            name, formula = "own_laplace", "-|x - loc| / scale - log 2 scale"
            parameters = {"loc": gb.REAL, "scale": gb.POSITIVE}
            support = gb.REAL

            def log_prob(self, x):
                return -abs(x - self.loc) / self.scale - gb.log(2 * self.scale)

            def sample(self, source): …

    In a method the parameters are nodes: self.loc. Slots are those of gb_dist_type: log_prob is needed, and
    rsample or sample(source); `shape` returns (batch, event), `measure` (coefficient, plus, minus) or None,
    `couple` (plus, minus)."""

    _type_name = 'gb_dist_type'
    parameters, support, discrete, moving_support = {}, None, False, False

    def __new__(cls, *arguments, **named):
        cls._type()
        words = list(cls.parameters)
        given = {**dict(zip(words, arguments)), **named}
        if len(arguments) > len(words) or given.keys() != set(words):
            raise TypeError(f'{cls.name} takes {", ".join(words)}')
        return make_own(cls.name, given, functools.partial(cls._on, given))

    @classmethod
    def _on(cls, given, tape):
        call = Call(tape)
        nodes = (struct('gb_node') * 4)()
        for i, word in enumerate(cls.parameters):
            nodes[i] = to_c('gb_node', given[word], call, f'{cls.name}: {word}')
        return call.run(lib.gb_dist_of, cls._type(), c.addressof(nodes))

    @classmethod
    def _build(cls):
        if not 1 <= len(cls.parameters) <= 4:
            raise TypeError(f'{cls.__qualname__} has {len(cls.parameters)} parameters, and must have 1 to 4')
        made = super()._build()
        for i, (word, domain) in enumerate(cls.parameters.items()):
            if not isinstance(domain, Domain):
                raise TypeError(f'{cls.__qualname__}: the domain of {word} must be one such as gb.POSITIVE')
            made.param[i].name, made.param[i].domain = text_of(word), domain._address
            made.param[i].is_argument = True
        return made

    @classmethod
    def _slot(cls, word, slot):
        def call(dist, *arguments):
            self = object.__new__(cls)
            self.distribution = dist
            table = dist._value.param
            for i, name in enumerate(cls.parameters):
                setattr(self, name, from_node(table[i], dist._tape))
            return getattr(self, word)(*arguments)
        call.__qualname__ = f'{cls.__qualname__}.{word}'
        return call


class OwnPlugin(Own):
    """A plug-in whose value is {type, options}. `options` are numbers and flags by name, with their defaults:
    {"share": (0.5, gb.OPEN_UNIT), "learn": False}; a method finds them as self.options.NAME."""

    _value_name = None
    options = {}

    def __new__(cls, *arguments, **options):
        address = cls._type()
        given = cls._options_struct(options)
        maker = getattr(lib, f'{cls._value_name}_of')
        call = Call()
        first = [to_c('gb_shape', arguments[0] if arguments else (), call, 'shape')] \
            if cls._value_name == 'gb_family' else []
        if len(arguments) > len(first):
            raise TypeError(f'{cls.name} takes its options by name')
        return Plugin(cls._value_name, maker(address, *first, c.byref(given) if given is not None else None))

    @classmethod
    def _fields(cls):
        return [('size', c.c_size_t), *((word, c.c_bool if isinstance(default, bool) else c.c_double)
                                        for word, default, _ in cls._options_rows())]

    @classmethod
    def _options_rows(cls):
        """Returns (name, default, domain) of each option."""
        return [(word, *(value if isinstance(value, tuple) else (value, find_domain('real'))))
                for word, value in cls.options.items()]

    @classmethod
    @functools.lru_cache(None)
    def _options_type(cls):
        return type(f'{cls.__name__}_options', (c.Structure,), {'_fields_': cls._fields()})

    @classmethod
    def _options_struct(cls, options):
        unknown = [word for word in options if word not in cls.options]
        if unknown:
            there = ', '.join(cls.options) or 'none'
            raise TypeError(f'{cls.name} has no option {unknown[0]}; there are: {there}')
        if not cls.options:
            return None
        made = cls._options_type()()
        made.size = c.sizeof(made)
        defaults = {word: default for word, default, _ in cls._options_rows()}
        for word, value in options.items():
            refuse_zero(f'{cls.name}: {word}', value, float(defaults[word]))
            kind = 'bool' if isinstance(defaults[word], bool) else 'double'
            setattr(made, word, to_c(kind, value, Call(), f'{cls.name}: {word}'))
        return made

    @classmethod
    def _build(cls):
        made = super()._build()
        if cls.options:
            rows = (struct('gb_option') * (len(cls.options) + 1))()
            for row, (word, value, domain) in zip(rows, cls._options_rows()):
                row.name, row.words = text_of(word), text_of(word)
                row.form = FLAG if isinstance(value, bool) else NUMBER
                row.offset = getattr(cls._options_type(), word).offset
                if row.form == NUMBER:
                    row.fallback, row.domain = float(value), domain._address
            keep_forever(rows)
            made.options, made.option_bytes = c.addressof(rows), c.sizeof(cls._options_type())
        return made

    @classmethod
    def _read_options(cls, address):
        if not address or not cls.options:
            return None
        found = cls._options_type().from_address(address)
        return Options({word: getattr(found, word) for word in cls.options})


class Options:
    """The options of a plug-in of Python, as attributes."""

    def __init__(self, values):
        self.__dict__.update(values)


class OwnEstimator(OwnPlugin):
    """An estimator of your own: draw(site), and combine(site, cost). `needs` are gb.NEEDS_… joined by |, and
    gb.needs(ability); docs/python.md has one."""

    _type_name, _value_name = 'gb_estimator_type', 'gb_estimator'
    bias = needs = expansion = first_order = drops_own_path = relaxes = None


class OwnBaseline(OwnPlugin):
    """A baseline of your own: value(site, cost)."""

    _type_name, _value_name = 'gb_baseline_type', 'gb_baseline'


class OwnBound(OwnPlugin):
    """A bound of your own: particles(), value(log_weights)."""

    _type_name, _value_name = 'gb_bound_type', 'gb_bound'
    caution = None


class OwnSchedule(OwnPlugin):
    """A schedule of your own: factor(t)."""

    _type_name, _value_name = 'gb_schedule_type', 'gb_schedule'


class OwnFamily(OwnPlugin):
    """A posterior family of your own: posterior(slot), or point(slot). The class takes the shape first."""

    _type_name, _value_name = 'gb_family_type', 'gb_family'
    any_support = None


KINDS = {OwnDistribution: 'gb_dist_kind', OwnEstimator: 'gb_estimator_kind', OwnBaseline: 'gb_baseline_kind',
         OwnBound: 'gb_bound_kind', OwnSchedule: 'gb_schedule_kind', OwnFamily: 'gb_family_kind'}


def register(*classes: type) -> None:
    """Gives types of your own their names: texts and look-ups then know them, as in
    gb.compare("gauss-square", ["mine:share=0.3"]). They stay until the process ends."""
    members = (struct('gb_bundle_member') * len(classes))()
    for member, cls in zip(members, classes):
        kind = next((name for base, name in KINDS.items() if issubclass(cls, base)), None)
        if kind is None:
            raise TypeError(f'{cls!r} is no class of a plug-in')
        member.kind, member.type = lib.address(kind), cls._type()
    made = struct('gb_bundle')()
    made.size, made.count, made.member = c.sizeof(made), len(classes), c.addressof(members)
    made.major, made.minor, made.patch = map(int, lib.gb_version().decode().split('.'))
    made.library = c.cast(lib.gb_version, c.c_void_p).value
    _forever.extend([members, made])
    error = c.create_string_buffer(1024)
    status = lib.gb_bundle_add(c.byref(made), None, error, len(error))
    if status:
        raise Error(error.value.decode('utf-8', 'replace'), status)


def needs(ability: str) -> int:
    """Returns the bit of an ability of distributions that an estimator needs: gb.needs("rsample")."""
    from .._c.enums import enum_value
    return 1 << enum_value('gb_ability', f'{ability}', 'ability')
