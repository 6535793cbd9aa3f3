# SPDX-License-Identifier: GPL-3.0-or-later
"""Types of C as ctypes has them, made from the description when they are needed. A pointer is an address
(c_void_p), but for texts; so structs may point to each other."""
import ctypes as c
import functools

from .interface import ENUMS, STRUCTS, is_callback, plain

SCALARS = {'double': c.c_double, 'float': c.c_float, 'bool': c.c_bool, 'int': c.c_int, 'unsigned': c.c_uint,
           'char': c.c_char, 'unsigned char': c.c_ubyte, 'size_t': c.c_size_t, 'intptr_t': c.c_ssize_t,
           'int8_t': c.c_int8, 'uint8_t': c.c_uint8, 'int16_t': c.c_int16, 'uint16_t': c.c_uint16,
           'int32_t': c.c_int32, 'uint32_t': c.c_uint32, 'int64_t': c.c_int64, 'uint64_t': c.c_uint64,
           'void': None}


@functools.lru_cache(None)
def ctype(type_):
    """Returns the ctypes type of a type of C."""
    name = plain(type_)
    if name == 'char *':
        return c.c_char_p
    if name.endswith('*') or '(*)' in name or is_callback(type_):
        return c.c_void_p
    if name in SCALARS:
        return SCALARS[name]
    if name in ENUMS:
        return c.c_int
    return struct(name)


@functools.lru_cache(None)
def struct(name):
    """Returns the class of a struct. Fails if ctypes lays it out differently from the compiler."""
    entry = STRUCTS[name]
    fields = []
    for field in entry['fields']:
        type_ = ctype(field['type'])
        for count in reversed(field.get('shape', [])):
            type_ = type_ * count
        fields.append((field['name'], type_))
    base = c.Union if entry['kind'] == 'union' else c.Structure
    made = type(name, (base,), {'_fields_': fields})
    offsets = {field['name']: field['offset'] for field in entry['fields']}
    wrong = [word for word, offset in offsets.items() if getattr(made, word).offset != offset]
    if wrong or c.sizeof(made) != entry['size']:
        raise ImportError(f'{name} is laid out differently from what interface.json says ({wrong})')
    return made


@functools.lru_cache(None)
def function_type(entry_name, result, parameters):
    """Returns the ctypes type of a function that C calls. `parameters` are types of C."""
    del entry_name
    returned = ctype(result)
    if returned is c.c_char_p:  # else ctypes would lose the text
        returned = c.c_void_p
    return c.CFUNCTYPE(returned, *map(ctype, parameters))


def at(address, name):
    """Returns the struct at an address, as a view."""
    return struct(name).from_address(address)


def text(value):
    """Returns bytes of C as a text."""
    return None if value is None else value.decode('utf-8', 'replace')
