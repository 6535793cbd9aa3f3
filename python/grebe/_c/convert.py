# SPDX-License-Identifier: GPL-3.0-or-later
"""Values between Python and C, by the type that the interface says.

`to_c` makes what a parameter or a field needs; `from_c` makes Python's objects of results, fields and
arguments of callbacks. Other files register the classes of their types."""
import ctypes as c
import functools
import operator

import numpy as np

from .enums import enum_of, enum_value
from .errors import Error
from .interface import DATA, ENUMS, OBJECTS, STRUCTS, is_callback, methods, plain, pointed
from .library import lib
from .types import SCALARS, ctype, struct, text

_classes = {}  # struct or opaque type -> function of (value or address, tape), for from_c
_kinds = {}    # struct -> function of (value, call, what), for to_c


def register(name, class_, make=None):
    """The class of a type; `make` is called with an address."""
    _classes[name] = make or class_


def converts(name):
    """Decorates a function (value, call, what) that makes values of a type of C."""
    def add(function):
        _kinds[name] = function
        return function
    return add


# ---- numbers ----

def array_of(value, what):
    """Returns an array of numbers, of their own type."""
    if isinstance(value, np.ndarray):
        array = value
    else:
        try:
            array = np.asarray(value)
        except ValueError as error:
            raise ValueError(f'{what}: {error}') from None
    if array.dtype.kind not in 'biuf':
        raise TypeError(f'{what} is of type {type(value).__name__} ({array.dtype}), and must be numbers')
    if isinstance(array, np.ma.MaskedArray):
        if np.ma.is_masked(array):
            raise ValueError(f'{what} has masked elements, which are no numbers: leave their rows out')
        array = array.data
    return array


def exact(array, what):
    """Returns the array, whose integers must be doubles."""
    if array.dtype.kind in 'iu' and array.size and array.dtype.itemsize > 4:
        largest = max(abs(int(array.max())), abs(int(array.min())))
        if largest > 2 ** 53:
            raise ValueError(f'{what} has an integer beyond 2^53, which is no double')
    return array


def float_array(value, what):
    """Returns a C-contiguous array of doubles, which is `value` itself if it is one."""
    array = exact(array_of(value, what), what)
    return np.require(array, np.float64, 'C')  # ascontiguousarray makes an axis of a single number


def number(value, what):
    array = array_of(value, what)
    if array.size != 1:
        raise TypeError(f'{what} has {array.size} numbers, and must be one')
    return array.reshape(()).item()


def whole(value, what):
    try:
        return operator.index(value)
    except TypeError:
        found = number(value, what)
        if isinstance(found, bool) or found != int(found):
            raise TypeError(f'{what} is {found}, and must be a whole number') from None
        return int(found)


BOUNDS = {'int': (-2 ** 31, 2 ** 31 - 1), 'unsigned': (0, 2 ** 32 - 1), 'size_t': (0, 2 ** 64 - 1),
          'int64_t': (-2 ** 63, 2 ** 63 - 1), 'uint64_t': (0, 2 ** 64 - 1), 'uint32_t': (0, 2 ** 32 - 1)}


def bounded(name, value, what):
    found = whole(value, what)
    low, high = BOUNDS[name]
    if not low <= found <= high:
        raise ValueError(f'{what} is {found}, and must be from {low} to {high}')
    return found


# ---- to C ----

def to_c(type_, value, call, what):
    """Returns what C takes for `value`; `what` is its name in messages."""
    name = plain(type_)
    if name in _kinds:
        return _kinds[name](value, call, what)
    if name in BOUNDS:
        return bounded(name, value, what)
    if name == 'double':
        return float(number(value, what))
    if name == 'bool':
        if not isinstance(value, (bool, np.bool_)):
            raise TypeError(f'{what} is {value!r}, and must be True or False')
        return bool(value)
    if name in ENUMS:
        return enum_value(name, value, what)
    if is_callback(type_):
        from .callbacks import function_for
        return function_for(type_, value, call)
    if name in STRUCTS:
        return to_struct(name, value, call, what)
    to = pointed(type_)
    if to is not None and to not in ('double', 'int64_t'):  # nothing says how many numbers C would read
        return address_of(to, value, call, what)
    raise TypeError(f'{what} has the type {type_}, which has no form in Python; call gb.lib')


def supported(type_):
    """Whether to_c knows a type."""
    name = plain(type_)
    to = pointed(type_)
    return name in _kinds or name in BOUNDS or name in ('double', 'bool') or name in ENUMS \
        or is_callback(type_) or name in STRUCTS or to in STRUCTS or to in _classes \
        or to in DATA['opaque']


def whole_array(value, what, floats=False):
    """Returns a C-contiguous array of int64; with `floats`, also of floats and booleans that are whole."""
    array = array_of(value, what)
    is_whole = array.dtype.kind in 'iu' or not array.size or \
        floats and (array.dtype.kind == 'b' or np.array_equal(array, np.floor(array)))
    if not is_whole:
        raise TypeError(f'{what} has the type {array.dtype}, and must be whole numbers')
    if array.size and not -2 ** 63 <= array.min().item() <= array.max().item() < 2 ** 63:
        raise ValueError(f'{what} has a number beyond 64 bits')
    return np.require(array, np.int64, 'C')


# Structs that a caller fills, besides options; others are only made by C.
DESCRIBES = {'gb_swap', 'gb_latent_part', 'gb_checkpoint', 'gb_fit_seeds', 'gb_problem_data',
             'gb_compare_setting', 'gb_judge_start'}


def address_of(name, value, call, what):
    """Returns the address of a thing, or of a struct that is made of keywords."""
    if value is None:
        return None
    value = getattr(value, '_view', value)  # a result's
    pointer = getattr(value, '_pointer', None)
    if pointer is not None and getattr(value, '_name', 'gb_tape') == name:
        return pointer()
    if isinstance(value, dict) and (name in DESCRIBES or name.endswith('_options')):
        made = to_struct(name, value, call, what)
        call.keep.append(made)
        call.borrowed.append(made)
        return c.addressof(made)
    raise TypeError(f'{what} is of type {type(value).__name__}, and must be {words_of(name)}')


def to_struct(name, value, call, what):
    """Returns a struct of one that was made by C, or of keywords. A member `size` gets the size."""
    given = getattr(value, '_struct', None)
    if given is not None and value._name == name:
        value._check()
        return given
    plain_data = all(not field['type'].endswith('*') for field in STRUCTS[name]['fields'])
    if not isinstance(value, dict) or not (plain_data or name in DESCRIBES or name.endswith('_options')):
        raise TypeError(f'{what} is of type {type(value).__name__}, and must be {words_of(name)}')
    made = struct(name)()
    fields = {field['name']: field for field in STRUCTS[name]['fields']}
    if 'size' in fields and fields['size']['type'] == 'size_t':
        made.size = c.sizeof(made)
    for word, each in value.items():
        if word not in fields:
            raise TypeError(f'{what} has no {word}; there are: {", ".join(fields)}')
        if each is None:
            continue
        set_field(made, fields[word], each, call, f'{what}.{word}' if what else word)
    return made


def set_field(made, field, value, call, what):
    if 'shape' in field:
        raise TypeError(f'{what} is an array, which has no form in Python')
    setattr(made, field['name'], to_c(field['type'], value, call, what))
    if isinstance(getattr(made, field['name']), bytes):
        call.borrowed.append(made)


@converts('char *')
def _text(value, call, what):
    if value is None:
        return None
    if not isinstance(value, str):
        raise TypeError(f'{what} is of type {type(value).__name__}, and must be a text')
    if '\0' in value:
        raise ValueError(f'{what} has a character 0, which ends texts of C')
    found = value.encode()
    call.borrowed.append(found)
    return found


@converts('gb_shape')
def _shape(value, call, what):
    sizes = (value,) if isinstance(value, (int, np.integer)) else sequence(value, what or 'the shape')
    if len(sizes) > 6:
        raise ValueError(f'{what or "the shape"} has {len(sizes)} axes, and at most 6 are possible')
    made = struct('gb_shape')(len(sizes))
    for i, size in enumerate(sizes):
        made.size[i] = bounded('int64_t', size, what or 'a size')
    return made


@converts('gb_axis_list')
def _axes(value, call, what):
    axes = (value,) if isinstance(value, (int, np.integer)) else sequence(value, what)
    if len(axes) > 6:
        raise ValueError(f'{what} has {len(axes)} axes, and at most 6 are possible')
    made = struct('gb_axis_list')(len(axes))
    for i, axis in enumerate(axes):
        made.axis[i] = bounded('int', axis, what)
    return made


@converts('gb_values')
def _values(value, call, what):
    array = float_array(value, what)
    if not array.ndim:
        return struct('gb_values')(fill=float(array))
    call.keep.append(array)
    return struct('gb_values')(array.ctypes.data, array.size)


def sequence(value, what):
    if isinstance(value, (str, bytes, dict)):
        raise TypeError(f'{what} is a {type(value).__name__}, and must be a list')
    try:
        return list(value)
    except TypeError:
        raise TypeError(f'{what} is of type {type(value).__name__}, and must be a list') from None


def array_in(type_, value, call, what):
    """Returns (count, address) of a list of values of a type of C, which is kept during the call."""
    if type_ == 'double':
        array = float_array(value, what)
        call.keep.append(array)
        return array.size, array.ctypes.data
    items = [to_c(type_, each, call, f'{what}[{i}]') for i, each in enumerate(sequence(value, what))]
    made = (ctype(type_) * max(1, len(items)))(*items)
    call.keep.append(made)
    return len(items), c.addressof(made)


LISTS = {'gb_node_list': ('gb_node', 'node'), 'gb_estimator_list': ('gb_estimator', 'estimator'),
         'gb_width_list': ('int64_t', 'width'), 'gb_rate_list': ('double', 'rate'),
         'gb_rows': ('int64_t', 'row')}


def _list(name, value, call, what):
    item, field = LISTS[name]
    if item == 'gb_node' and hasattr(value, '_c'):
        value = [value]
    count, address = array_in(item, value, call, what)
    made = struct(name)(**{'count': count, field: address})
    call.keep.append(made)
    call.borrowed.extend(call.keep[-2:])
    return made


for _name in LISTS:
    _kinds[_name] = functools.partial(_list, _name)

NUMBERS = {'f8': 0, 'f4': 1, 'u1': 2, 'i1': 3, 'i2': 4, 'u2': 5, 'i4': 6, 'u4': 7, 'i8': 8, 'u8': 9}


@converts('gb_numbers')
def _numbers(value, call, what):
    """Numbers of any type are borrowed without a copy, as long as the tape."""
    array = array_of(value, what)
    if not array.size:
        raise ValueError(f'{what} has no numbers')  # a count of 0 says in C that it is not known
    if array.dtype.kind == 'b':
        array = array.astype(np.uint8)
    if array.dtype.str[1:] not in NUMBERS or not array.dtype.isnative:
        array = array.astype(np.float64)
    array = np.require(array, None, 'C')
    call.borrowed.append(array)
    call.keep.append(array)
    return struct('gb_numbers')(NUMBERS[array.dtype.str[1:]], array.ctypes.data, array.size)


@converts('gb_column_list')
def _columns(value, call, what):
    """{input: array, …}, or pairs."""
    pairs = list(value.items() if isinstance(value, dict) else value)
    made = (struct('gb_column') * max(1, len(pairs)))()
    for i, (node, array) in enumerate(pairs):
        if not hasattr(node, '_c'):
            raise TypeError(f'{what}: {node!r} is of type {type(node).__name__}, and must be an input (a '
                            'gb.Node)')
        made[i].input = to_c('gb_node', node, call, f'{what}: an input')
        made[i].values = to_c('gb_numbers', array, call, f'{what}: values of {node!r}')
        if not lib.gb_node_type(made[i].input):  # real
            exact(array_of(array, what), f'{what}: values of {node!r}')
    call.keep.append(made)
    return struct('gb_column_list')(c.addressof(made), len(pairs))


@converts('gb_chains *')
def _chains(value, call, what):
    """An array of (chain, draw); an axis alone is one chain."""
    array = float_array(value, what)
    if array.ndim not in (1, 2):
        raise ValueError(f'{what} has the shape {array.shape}, and must be (chains, draws)')
    made = struct('gb_chains')(x=array.ctypes.data, chains=1 if array.ndim == 1 else len(array),
                               length=array.shape[-1])
    call.keep.extend([array, made])
    return c.addressof(made)


DOMAINS = {name.removeprefix('gb_').removesuffix('_domain'): name for name, entry in OBJECTS.items()
           if plain(entry['type']) == 'gb_domain'}


class Domain:
    """A set of numbers, vectors or matrices, such as gb.POSITIVE."""

    def __init__(self, address):
        self._address, self._name = address, 'gb_domain'
        made = struct('gb_domain').from_address(address)
        self.name, self.must_be = text(made.name), text(made.must_be)

    def _pointer(self):
        return self._address

    def __reduce__(self):
        if self.name not in DOMAINS:
            raise TypeError(f'the domain {self.name} cannot be pickled: it belongs to this process')
        return domain, (self.name,)

    def __repr__(self):
        return f'<grebe domain: {self.name}>'

    def __eq__(self, other):
        return isinstance(other, Domain) and self._address == other._address

    def __hash__(self):
        return hash(self._address)


def domain(name):
    """Returns the domain of that name: "positive", "simplex" …"""
    if name not in DOMAINS:
        raise ValueError(f'there is no domain {name}; there are: {", ".join(sorted(DOMAINS))}')
    return Domain(lib.address(DOMAINS[name]))


@converts('gb_domain *')
def _domain(value, call, what):
    if value is None:
        return None
    if isinstance(value, str):
        value = domain(value)
    if not isinstance(value, Domain):
        raise TypeError(f'{what} is of type {type(value).__name__}, and must be a domain, such as '
                        f'gb.POSITIVE')
    return value._pointer()


# ---- from C ----

def from_c(type_, value, tape):
    """Returns what Python makes of a value of C."""
    name = plain(type_)
    if name == 'char *':
        return text(value)
    if name == 'gb_shape':
        return tuple(value.size[:value.rank]) if value.rank >= 0 else None
    if name == 'gb_axis_list':
        return tuple(value.axis[:value.count])
    if name in SCALARS:
        return value.decode('latin-1') if isinstance(value, bytes) else value
    if name in ENUMS:
        return enum_of(name)(value)
    if name == 'gb_node_list':
        nodes = (struct('gb_node') * value.count).from_address(value.node) if value.count else []
        return [_classes['gb_node'](node, tape) for node in nodes]
    to = pointed(type_)
    if to == 'gb_domain':
        return Domain(value) if value else None
    if to in _classes:
        return made_at(to, value, tape)
    if name in _classes:
        return _classes[name](value, tape)
    if to in STRUCTS or to in DATA['opaque']:
        return Thing(to, value, tape) if value else None
    if name in STRUCTS:
        return Thing(name, value, tape)
    return value  # an address


def made_at(name, address, tape):
    if not address:
        return None
    if name == 'gb_tape':
        return _classes[name](address)
    return _classes[name](address, tape)


def struct_field(view, owner, field, tape):
    """Returns a field of a struct as Python's object."""
    value = getattr(view, field['name'])
    shape = field.get('shape')
    if not shape:
        return from_c(field['type'], value, tape)
    if plain(field['type']) == 'char':
        return text(value) if isinstance(value, bytes) else [text(row.value) for row in value]
    return [from_c(field['type'], each, tape) for each in value]


CLASSES = {'gb_tape': 'Tape', 'gb_node': 'Node', 'gb_dist': 'Distribution', 'gb_elbo': 'ELBO',
           'gb_program': 'Program', 'gb_density': 'Density', 'gb_judgement': 'Judgement', 'gb_nuts': 'Nuts',
           'gb_analysis': 'Analysis', 'gb_summary_table': 'Summary', 'gb_prediction': 'Prediction',
           'gb_comparison': 'Comparison', 'gb_sweep': 'Sweep'}


def words_of(name):
    """Returns what a type of C is in Python, for messages."""
    if name in CLASSES:
        return f'a gb.{CLASSES[name]}'
    for maker in (f'{name}_new', f'{name}_new_with'):
        if maker in DATA['functions']:
            return f'what gb.{name.removeprefix("gb_")}_new returns'
    return f'a {name.removeprefix("gb_").replace("_", " ")} of grebe'


class Thing:
    """Something of the library's: a struct, or what only its functions know. Its members are attributes, and
    functions that take it first are methods."""

    _free = None

    def __init__(self, name, value, tape, free=None):
        self._name, self._tape = name, tape
        if isinstance(value, int):
            self._address = value
            self._struct = struct(name).from_address(value) if name in STRUCTS else None
        else:
            self._struct = type(value).from_buffer_copy(value)
            self._address = c.addressof(self._struct)
        self._free = free
        self._epoch = tape._epoch if tape is not None else 0

    def _check(self):
        if not self._address:
            raise ValueError(f'{words_of(self._name)} was used after its end: it is closed')
        if self._tape is not None and not self._free:
            self._tape._check()
            if self._epoch != self._tape._epoch:
                raise Error(f'{words_of(self._name)} was used after its end: it is of an earlier recording, '
                            'since its tape was reset')

    def _pointer(self):
        self._check()
        return self._address

    def close(self):
        """Frees it, if it is the caller's to free."""
        address, self._address = getattr(self, '_address', None), None
        free, self._free = self._free, None
        self._struct = None
        if address and free:
            getattr(lib, free)(address)

    def _lend_end(self):
        """What C has lent for a callback is gone."""
        self._address = self._struct = None

    def __del__(self):
        self.close()

    def __reduce_ex__(self, protocol):
        raise TypeError(f'{words_of(self._name)} cannot be copied or pickled: it belongs to this process')

    def _fields(self):
        return {field['name']: field for field in STRUCTS.get(self._name, {'fields': []})['fields']}

    def __getattr__(self, name):
        if name.startswith('_'):
            raise AttributeError(name)
        field = self._fields().get(name)
        if field is not None and not (pointed(field['type']) in STRUCTS and name in methods(self._name)):
            self._check()
            return struct_field(self._struct, self._name, field, self._tape)
        from .functions import method
        return method(self, self._name, name)

    def __dir__(self):
        return sorted({*super().__dir__(), *self._fields(), *methods(self._name)})

    def __repr__(self):
        return f'<grebe {self._name.removeprefix("gb_")}>'


class Viewed:
    """A result of the library's that is shown as a class of its own. Functions that take it first are its
    methods, all of them by the description: summary.json() is gb_summary_json(summary)."""

    _view = None

    def __getattr__(self, name):
        if name.startswith('_') or self._view is None:
            raise AttributeError(name)
        from .functions import method
        return method(self._view, self._view._name, name)

    def __dir__(self):
        return sorted({*super().__dir__(), *(methods(self._view._name) if self._view is not None else ())})
