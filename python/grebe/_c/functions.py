# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions of the interface as Python calls them. None is written by hand: arguments, options, docstrings
and results come from the description. gb.matmul(a, b, transpose_a=True) is gb_matmul_with."""
import ctypes as c
import functools
import inspect
import keyword
import warnings
import re

from .call import Call, in_python, raise_status, tape_of
from .convert import Thing, _classes, array_in, from_c, supported, to_c, words_of
from .interface import CALLBACKS, FUNCTIONS, KINDS, STRUCTS, function_of, methods, plain, pointed
from .errors import Error, status_words
from .library import lib
from .types import ctype, struct

# These do not check what they are given: they are for operations in C.
UNCHECKED = {'gb_numbers_at', 'gb_tape_steps_within', 'gb_tape_step_axis', 'gb_tape_body_begin',
             'gb_tape_body_end', 'gb_body_leaf'}
NULLABLE = {('gb_lazy_affine', 'b')}  # arguments that may be left out
CONSUMES = {'gb_feeds_put_back'}  # frees its argument
NEED_TAPES = ('gb_prediction_save', 'gb_table_')  # of what is the caller's, and yet writes to its tape
HIDDEN = {'size', 'user', 'stop'}  # options that are given here
KEYWORDS = {'and_': 'and', 'or_': 'or', 'not_': 'not'}


def python_name(word):
    return f'{word}_' if keyword.iskeyword(word) else word


class NoForm(AttributeError):
    """The function takes something that has no form in Python, such as room for results."""


class Function:
    """One function. Calling it converts the arguments, calls C, raises errors and converts the result."""

    def __init__(self, name):
        if name.endswith('_free'):
            raise NoForm(f'{name} has no form in Python: close() frees, and so does the end of a `with`')
        if name in UNCHECKED:
            raise NoForm(f'{name} has no form in Python, since it does not check its arguments; call '
                         f'gb.lib.{name}')
        self.c_name, self.entry = name, FUNCTIONS[name]
        self.name = name.removeprefix('gb_').removesuffix('_with')
        self.__name__ = self.__qualname__ = self.name
        self.plan, self.options = [], None
        self.read_parameters()
        self.words = [name for name, role, _ in self.plan if role in ('value', 'list', 'same')]
        self.__doc__ = self.document()
        self.__signature__ = self.signature()

    def read_parameters(self):
        """`plan` has (name, role, type) of each argument of C; a list has that of its count with it."""
        for p in self.entry['parameters']:
            name, type_, role = python_name(p['name']), p['type'], p['role']
            to = pointed(type_)
            if role == 'options':
                self.options = {f['name']: f for f in STRUCTS[to]['fields']
                                if f['name'] not in HIDDEN}
                self.options_type = to
            if role in ('room', 'raw') or role == 'value' and not supported(type_) \
                    or role == 'list' and not supported(to) or 'stride' in p['name']:
                raise NoForm(f'{self.c_name} takes {type_} {p["name"]}, which has no form in Python; call '
                             f'gb.lib.{self.c_name}')
            if role != 'count':
                self.plan.append((name, role, to if role in ('list', 'same') else type_))

    def __call__(self, *arguments, **options):
        return self.call(None, arguments, options)

    def call(self, first, arguments, options):
        """Calls it; `first` is the object whose method this is."""
        given = self.bind(arguments, options)
        call = Call(tape_of(first, *given.values(), *options.values()))
        if call.tape is None and self.c_name.startswith(NEED_TAPES):
            owner = next(iter(given.values()))
            if isinstance(owner, Thing) and owner._tape is not None:
                owner._tape._check()
        if self.c_name == 'gb_tape_set_feeds_aside':
            call.tape._sets_aside = True
        values, nodes, text = [], 0, None
        for name, kind, type_ in self.plan:
            if kind == 'value':
                values.append(self.argument(name, type_, given, call, nodes))
                nodes += type_ == 'gb_node'
            elif kind in ('list', 'same'):
                count, address = array_in(type_, given[name], call, f'{self.name}: {name}')
                if kind == 'same' and count != values[-2]:
                    raise ValueError(f'{self.name}: {name} has {count} numbers, and must have {values[-2]}')
                values += [count, address] if kind == 'list' else [address]
            elif kind == 'options':
                made = options_struct(self, {**self.asked(), **options}, call)
                values.append(c.byref(made))
            elif kind == 'file':
                text = TextFile()
                values.append(text.file)
            else:
                values.append(None)
        try:
            result = call.run(getattr(lib, self.c_name), *values)
        finally:
            found = text.close() if text else None
        if self.c_name in CONSUMES:
            next(iter(given.values()))._lend_end()
        return found if text else self.result(result, call)

    def bind(self, arguments, options):
        """Returns the arguments by name; takes those that are named out of `options`."""
        words = self.words
        if len(arguments) > len(words):
            raise TypeError(f'{self.name} takes {len(words)} arguments ({", ".join(words)}), and '
                            f'{len(arguments)} were given')
        given = dict(zip(words, arguments))
        for word in words[len(arguments):]:
            if word in options and word not in (self.options or {}):
                given[word] = options.pop(word)
            elif word in options:
                given[word] = options.pop(word)
            elif word in self.defaults():
                given[word] = self.defaults()[word]
            else:
                raise TypeError(f'{self.name} needs an argument {word}')
        unknown = [word for word in options if word not in (self.options or {})]
        if unknown:
            there = ', '.join(self.options) if self.options else 'none'
            raise TypeError(f'{self.name} has no option {unknown[0]}; there are: {there}')
        return given

    def asked(self):
        """Functions that C asks whether to go on, if there are none: they say no after Ctrl-C."""
        return {word: going_on for word, field in self.options.items() if word == 'progress'
                and CALLBACKS.get(field['type'], {}).get('result') == 'bool'}

    def defaults(self):
        return {name: () for name, kind, type_ in self.plan if type_ == 'gb_shape' and kind == 'value'}

    def argument(self, name, type_, given, call, nodes):
        value, what = given[name], f'{self.name}: {name}'
        if value is None and (self.c_name, name) not in NULLABLE:
            raise TypeError(f'{what} is None, and must be given')
        if type_ == 'gb_node':
            from .._graph.node import to_node
            takes = takes_of(self.name)
            return to_node(value, call, what, 2 if name == 'index' else takes[min(nodes, 2)])
        return to_c(type_, value, call, what)

    def result(self, value, call):
        result = self.entry['result']
        if result == 'gb_status':
            raise_status(value)
            return None
        to = pointed(result)
        if to in STRUCTS or to in _classes or ctype(result) is c.c_void_p and to:
            if not value:
                return None
            free = freed_by(to) if not result.startswith('const ') else None
            if to in _classes:
                made = from_c(result, value, call.tape)
                if free and isinstance(made, Thing):
                    made._free = free
                return made
            return told(Thing(to, value, call.tape, free)) if to.startswith('gb_') else value
        made = from_c(result, value, call.tape)
        if made is None and call.tape is None and result in ('gb_node', 'gb_dist'):
            raise TypeError(f'{self.name}: no argument is on a tape')
        if hasattr(made, '_closures'):
            made._closures.extend(call.closures)
        elif isinstance(made, Thing) and 'status' in made._fields() and made.status:
            raise Error(getattr(made, 'words', '') or status_words(lib, made.status), made.status)
        return made

    def document(self):
        doc = self.entry['doc']
        if not self.options:
            return in_python(doc)
        rows = rows_of(self.c_name)
        lines = [f'  {name}: {option_words(field, rows.get(name))}'
                 for name, field in self.options.items() if name not in self.words]
        doc = doc or STRUCTS[self.options_type]['doc']
        return in_python('\n'.join([doc, *(['', 'Options:'] if lines else []), *lines]))

    def signature(self):
        kind = inspect.Parameter
        words = [kind(word, kind.POSITIONAL_OR_KEYWORD, default=self.defaults().get(word, kind.empty))
                 for word in self.words]
        seen = False
        for i, word in enumerate(words):  # what has a default may come before what has none: in C's order
            seen = seen or word.default is not kind.empty
            if seen and word.default is kind.empty:
                words = [w.replace(default=kind.empty) for w in words]
                break
        rest = [kind(word, kind.KEYWORD_ONLY, default=None) for word in self.options or {}
                if word not in self.words]
        return inspect.Signature(words + rest)

    def __reduce__(self):
        return made, (self.c_name,)

    def __repr__(self):
        return f'<grebe function {self.name}{self.__signature__}>'


def going_on(*_):
    return True


def options_struct(function, options, call):
    """Returns the struct of options, with its size; what was not given is 0, which is the default."""
    made = struct(function.options_type)()
    made.size = c.sizeof(made)
    call.keep.append(made)
    for word, value in options.items():
        if value is None:
            continue
        field, what = function.options[word], f'{function.name}: {word}'
        refuse_zero(what, value, default_of(function.c_name, word))
        if 'stride' in word:
            raise TypeError(f'{what} has no form in Python: arrays are copied where they have gaps')
        if plain(field['type']) == 'FILE *':
            raise TypeError(f'{what} is a file of C, which has no form in Python')
        setattr(made, word, to_c(field['type'], value, call, what))
        if plain(field['type']) == 'char *':
            call.keep.append(getattr(made, word))
    return made


def told(thing):
    """Returns a result that may be a part of what was asked, after a warning if it says so."""
    fields = thing._fields()
    if {'status', 'error'} <= fields.keys() and thing.status:
        warnings.warn(thing.error or status_words(lib, thing.status), stacklevel=5)
    return thing


@functools.lru_cache(None)
def rows_of(c_name):
    """Returns the table of options of the plug-in that a function makes, by name; {} for other functions."""
    entry = FUNCTIONS[c_name]
    for member in KINDS.get(f'{entry["result"]}_kind', {}).get('members', ()):
        if member['name'] == entry.get('member') and 'options' in member:
            return {row['name']: row for row in member['options']}
    return {}


NUMBER, WHOLE = 1, 2  # gb_option_form


def default_of(c_name, option):
    """Returns the default of an option of a plug-in, which 0 stands for in C; 0 if there is none."""
    row = rows_of(c_name).get(option)
    return float(row['default']) if row and row['form'] in (NUMBER, WHOLE) else 0.0


def option_words(field, row):
    """Returns what an option is, for a docstring: by the table of a plug-in, or the comment of the header."""
    if not row:
        return ' '.join(field['doc'].split()) or plain(field['type'])
    words = [row['words'] or '']
    if row['choices']:
        words.append('one of ' + ', '.join(row['choices']))
    if row['form'] in (NUMBER, WHOLE):
        words.append(f'{float(row["default"]):g} by default')
    elif row['plugin']:
        words.append(f'{row["plugin"]} by default')
    return ', '.join(words)


def refuse_zero(what, value, default):
    """In C a 0 stands for the default; here it would not be what it says."""
    if default and isinstance(value, (int, float)) and value == 0:
        raise ValueError(f'{what} cannot be 0, which stands for the default, {default:g}; leave it out '
                         f'for that')


@functools.lru_cache(None)
def takes_of(name):
    """Returns the types of values that an operation takes: of its first argument, its second, and others."""
    op = lib.gb_op_find(name.encode())
    return tuple(struct('gb_op').from_address(op).takes) if op else (0, 0, 0)


OWNED_BY_TAPES = {'gb_tape', 'gb_program'}


@functools.lru_cache(None)
def freed_by(name):
    """Returns the function that frees a result of this type; None if something else owns it."""
    if name in OWNED_BY_TAPES:
        return None
    for function, entry in FUNCTIONS.items():
        first = entry['parameters'][0]['type'] if len(entry['parameters']) == 1 else ''
        if function.endswith('_free') and pointed(first) == name:
            return function
    return None


class TextFile:
    """A FILE of C that writes to memory."""

    libc = c.CDLL(None)

    def __init__(self):
        self.at, self.size = c.c_void_p(), c.c_size_t()
        self.libc.open_memstream.restype = c.c_void_p
        self.file = self.libc.open_memstream(c.byref(self.at), c.byref(self.size))
        if not self.file:
            raise OSError('there is no memory for a text')

    def close(self):
        self.libc.fclose(c.c_void_p(self.file))
        text = c.string_at(self.at, self.size.value).decode('utf-8', 'replace')
        self.libc.free(self.at)
        return text


# ---- look-up ----

@functools.lru_cache(None)
def function(name):
    """Returns the function of a name without gb_. Fails with an AttributeError if there is none."""
    from .._graph.reductions import merged
    name = KEYWORDS.get(name, name)
    found = merged(name)
    if found is not None:
        return found
    c_name = function_of(name)
    if c_name is None:
        raise AttributeError(f'grebe has no {name}')
    return made(c_name)


def method(owner, thing, name):
    """Returns the function that takes `owner` first: elbo.loss() is gb_elbo_loss(elbo)."""
    if name.startswith('__'):
        raise AttributeError(name)
    c_name = methods(thing).get(name)
    if thing == 'gb_node' and c_name in (None, *methods('gb_node').values()):
        try:
            found = function(name)
        except AttributeError:
            found = made(c_name) if c_name else None
        if found is None or c_name is None and not takes_node(found):
            raise AttributeError(f'a node has no {name}')
    elif c_name is None:
        raise AttributeError(f'{words_of(thing)} has no {name}')
    else:
        found = made(c_name)
    bound = functools.partial(found, owner)
    bound.__doc__ = found.__doc__
    return bound


@functools.lru_cache(None)
def made(c_name):
    return Function(c_name)


def takes_node(found):
    entry = getattr(found, 'entry', None)
    return entry is None or bool(entry['parameters']) and entry['parameters'][0]['type'] == 'gb_node'


def node_methods():
    return [name for name in methods('gb_node')]


def names():
    """All names that `function` knows."""
    found = set()
    for name in FUNCTIONS:
        found.add(re.sub('_with$', '', name.removeprefix('gb_')))
    return found

