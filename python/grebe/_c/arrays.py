# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays of C's, copied into those of NumPy."""
import ctypes as c

import numpy as np

from .interface import STRUCTS, plain
from .types import ctype, struct

KINDS = {'double': np.float64, 'size_t': np.uint64, 'int64_t': np.int64, 'int': np.int32, 'bool': np.bool_}


def numbers_at(address, shape, type_='double'):
    """Returns a copy of the numbers at an address; None for NULL."""
    if not address:
        return None
    kind = np.dtype(KINDS[type_])
    count = int(np.prod(shape, dtype=np.int64))
    return np.frombuffer(c.string_at(address, count * kind.itemsize), kind).reshape(shape).copy()


def structs_at(address, name, count):
    """Returns `count` structs at an address, as views."""
    if not address:
        return []
    made = struct(name)
    return [made.from_address(address + i * c.sizeof(made)) for i in range(count)]


def records_at(address, name, count):
    """Returns an array of records with the numbers of `count` structs."""
    fields = [field for field in STRUCTS[name]['fields'] if plain(field['type']) in
              ('double', 'uint64_t', 'int64_t', 'size_t', 'int', 'bool') and 'shape' not in field]
    kind = np.dtype({'names': [field['name'] for field in fields],
                     'formats': [np.dtype(ctype(field['type'])) for field in fields],
                     'offsets': [field['offset'] for field in fields], 'itemsize': STRUCTS[name]['size']})
    if not address or not count:
        return np.empty(0, kind)
    return np.frombuffer(c.string_at(address, count * kind.itemsize), kind).copy()
