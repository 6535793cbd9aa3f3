# SPDX-License-Identifier: GPL-3.0-or-later
"""Distributions: gb.normal(0, 2). One whose parameters are numbers alone is recorded where a tape is known:
by the ELBO that takes it as a prior, or by the node whose density is asked."""
import ctypes as c
import functools
import inspect
import weakref

from .._c.call import Call, tape_of
from .._c.convert import Thing, _classes, _kinds
from .._c.errors import Error
from .._c.functions import Function
from .._c.interface import FUNCTIONS, KINDS
from .._c.types import struct, text

MEMBERS = {member['name']: member for member in KINDS['gb_dist_kind']['members']}


class Distribution:
    """A distribution with its parameters, which are nodes or numbers.

    Methods are the functions that take a distribution first: log_prob(x), sample(noise, axes),
    cdf(x), mean(), variance(), entropy() …; they need a tape, so at least one argument is a node, or
    `on(tape)`."""

    def __init__(self, build, words, tape=None, value=None):
        self._build, self._words = build, words
        self._tape, self._value = tape, value
        self._epoch = tape._epoch if tape is not None else 0
        self._latest = lambda: None, 0, None  # the tape that it was recorded on latest, not kept

    def on(self, tape):
        """Returns it recorded on a tape."""
        if self._tape is not None:
            return self
        tape._check()
        latest, epoch, value = self._latest
        if latest() is not tape or epoch != tape._epoch:
            value = self._build(tape)
            self._latest = weakref.ref(tape), tape._epoch, value
        return Distribution(None, self._words, tape, value)

    def __reduce_ex__(self, protocol):
        if self._tape is not None:
            raise TypeError('a distribution on a tape cannot be copied or pickled: each process makes its '
                            'own')
        return Distribution, (self._build, self._words)

    def _check(self):
        if self._tape is not None:
            self._tape._check()
            if self._epoch != self._tape._epoch:
                raise Error('the distribution is of an earlier recording: its tape was reset')

    @property
    def type(self):
        """The name of its type; None before it is recorded."""
        if self._value is None:
            return self._words.split('(')[0]
        return text(struct('gb_plugin').from_address(self._value.type).name) if self._value.type else None

    @property
    def parameters(self):
        """The parameters by name, as nodes; those of a distribution that is recorded."""
        from .node import from_node
        self._check()
        if self._value is None:
            raise ValueError(f'{self._words} is on no tape yet: write .on(tape)')
        type_ = struct('gb_dist_type').from_address(self._value.type)
        table = type_.alternative if self._value.alternative else type_.param
        return {text(row.name): from_node(struct('gb_node').from_buffer_copy(self._value.param[i]),
                                          self._tape)
                for i, row in enumerate(table) if row.name}

    def __getattr__(self, name):
        if name.startswith('_'):
            raise AttributeError(name)
        from .._c.functions import method
        return method(self, 'gb_dist', name)

    def __repr__(self):
        return f'<grebe distribution: {self._words}>'


def to_dist(value, call, what):
    if value is None:
        return struct('gb_dist')()
    if isinstance(value, str):
        from .._c.library import lib
        tape = call.need_tape(what)
        return call.run(lib.gb_dist_parse, tape._pointer(), value.encode())
    if not isinstance(value, Distribution):
        raise TypeError(f'{what} is of type {type(value).__name__}, and must be a distribution, such as '
                        'gb.normal(0, 1)')
    value._check()
    if value._tape is None:
        return value.on(call.need_tape(what))._value
    if call.tape is not None and value._tape is not call.tape:
        raise Error(f'{what} is on another tape')
    return value._value


def from_dist(value, tape):
    """A gb_dist, or the address of one; None if it is inert."""
    if isinstance(value, int):
        value = struct('gb_dist').from_address(value)
    if not value.type:
        return None
    from .tape import tape_at
    tape = tape if tape is not None and tape._address == value.tape else tape_at(value.tape)
    copy = struct('gb_dist').from_buffer_copy(value)
    name = text(struct('gb_plugin').from_address(value.type).name)
    return Distribution(None, f'{name}(…)', tape, copy)


_kinds['gb_dist'] = to_dist
_classes['gb_dist'] = from_dist


# ---- constructors ----

@functools.lru_cache(None)
def forms(name):
    """Returns the functions that make a distribution of this name: one, or one for each form of
    parameters."""
    if f'gb_{name}' not in FUNCTIONS or FUNCTIONS[f'gb_{name}']['result'] != 'gb_dist':
        return ()
    found = [Function(f'gb_{name}')]
    member = MEMBERS.get(name)
    other = {row['name'] for row in member['alternative']} if member else set()
    for function, entry in FUNCTIONS.items():
        if other and function.startswith(f'gb_{name}_') and entry['result'] == 'gb_dist' \
                and other <= {p['name'] for p in entry['parameters']}:
            found.append(Function(function))
    return tuple(found)


def defaults_of(name, function):
    """Returns the defaults of parameters: those that texts have, such as loc 0 and scale 1 of a normal."""
    member = MEMBERS.get(name) or {'param': []}
    return {row['name']: float(row['default']) for row in member['param'] if row['optional']
            and row['name'] in function.words}


class Constructor:
    """gb.bernoulli(prob), gb.bernoulli(logits=…)."""

    def __init__(self, name):
        self.name, self.forms = name, forms(name)
        self.__name__ = self.__qualname__ = name
        member = MEMBERS.get(name, {})
        lines = [f'log density: {member["formula"]}' if member.get('formula') else '', self.forms[0].__doc__]
        for form in self.forms:
            lines.append(f'{name}({", ".join(form.words)})')
        for row in [*member.get('param', []), *member.get('alternative', [])]:
            default = f', {float(row["default"]):g} by default' if row['optional'] else ''
            lines.append(f'  {row["name"]}: {row["domain"] or "any"}{default}')
        self.__doc__ = '\n'.join(line for line in lines if line)
        words = list(dict.fromkeys(word for form in self.forms for word in form.words))
        optional = set(words) if len(self.forms) > 1 else defaults_of(name, self.forms[0]).keys()
        if any(word in optional and later not in optional for i, word in enumerate(words)
               for later in words[i:]):
            optional = ()  # what has a default stands before what has none
        kind = inspect.Parameter
        self.__signature__ = inspect.Signature(
            [kind(word, kind.POSITIONAL_OR_KEYWORD, default=None if word in optional else kind.empty)
             for word in words])

    def __call__(self, *arguments, **named):
        function = self.chosen(arguments, named)
        given = {**defaults_of(self.name, function), **dict(zip(function.words, arguments)), **named}
        if len(arguments) > len(function.words):
            raise TypeError(f'{self.name} takes {", ".join(function.words)}, and {len(arguments)} were given')
        missing = [word for word in function.words if word not in given]
        unknown = [word for word in given if word not in function.words]
        if missing or unknown:
            forms_ = ' or '.join(', '.join(form.words) for form in self.forms)
            wrong = f'{unknown[0]} is none, or is given besides another form' if unknown else \
                f'{missing[0]} is missing'
            raise TypeError(f'{self.name} takes {forms_}; {wrong}')
        return make(self.name, function, given)

    def chosen(self, arguments, named):
        for function in self.forms:
            in_order = set(function.words[:len(arguments)])
            if named.keys() <= set(function.words) and not in_order & named.keys():
                return function
        return self.forms[0]

    def __reduce__(self):
        return constructor, (self.name,)

    def __repr__(self):
        return f'<grebe distribution {self.name}>'


def make(name, function, given):
    """Returns the distribution, recorded if one of the parameters has a tape."""
    words = f'{name}({", ".join(f"{word}={shown(value)}" for word, value in given.items())})'
    for word, value in given.items():
        checked(name, word, value)

    return recorded(words, given, functools.partial(built, function, given))


def make_own(name, given, build):
    """The same for a type of Python."""
    for word, value in given.items():
        checked(name, word, value)
    return recorded(f'{name}({", ".join(f"{word}={shown(value)}" for word, value in given.items())})', given,
                    build)


def recorded(words, given, build):
    tape = tape_of(*given.values())
    return Distribution(build, words) if tape is None else Distribution(None, words, tape, build(tape))


def checked(name, word, value):
    """Numbers are checked at once, though they are recorded later."""
    from .._c.convert import array_of
    is_recorded = hasattr(value, '_tape') or isinstance(value, (list, tuple)) and tape_of(value)
    if value is not None and not is_recorded and not isinstance(value, (dict, Thing)):
        array_of(value, f'{name}: {word}')


def built(function, given, tape):
    from .._c.library import lib
    call = Call(tape)
    values = []
    for name, kind, type_ in function.plan:
        if kind != 'value':
            raise TypeError(f'{function.name}: {name} has no form in Python')
        values.append(function.argument(name, type_, given, call, 0))
    return call.run(getattr(lib, function.c_name), *values)


def shown(value):
    if isinstance(value, (int, float, str, Distribution)) or value is None:
        return value._words if isinstance(value, Distribution) else str(value)
    return f'{type(value).__name__} {getattr(value, "shape", "")}'.strip()


@functools.lru_cache(None)
def constructor(name):
    """Returns the constructor of a distribution; None if the name is none's."""
    return Constructor(name) if name in MEMBERS and forms(name) else None


assert c.sizeof(struct('gb_dist')) > 64
