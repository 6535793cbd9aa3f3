# SPDX-License-Identifier: GPL-3.0-or-later
"""The shared libraries. Each function of the interface is `lib.gb_name`, with its types."""
import ctypes as c
import sys

from .interface import FUNCTIONS, OBJECTS, folder
from .types import ctype

ENDING = 'dylib' if sys.platform == 'darwin' else 'so'


def _load(name):
    found = sorted(folder().glob(f'lib{name}*.{ENDING}*'), key=lambda path: len(path.name))
    # grebe-kit begins like grebe
    found = [path for path in found if path.name[len(f'lib{name}')] == '.']
    if not found:
        raise ImportError(f'lib{name} is not in {folder()}')
    return c.CDLL(str(found[0]))


class Library:
    """All functions of grebe as C has them: structs by value are ctypes structures, pointers are addresses.
    The kits are a library of their own, which is loaded when its first function is used."""

    def __init__(self):
        self._loaded = {}

    def _file(self, name):
        if name not in self._loaded:
            if name == 'grebe-kit':
                self._file('grebe')
            self._loaded[name] = _load(name)
        return self._loaded[name]

    def __getattr__(self, name):
        if name in FUNCTIONS:
            entry = FUNCTIONS[name]
            found = getattr(self._file(entry['library']), name)
            found.argtypes = [ctype(p['type']) for p in entry['parameters'] if p['type'] != '...']
            found.restype = ctype(entry['result'])
            found.__doc__ = entry['doc']
            setattr(self, name, found)
            return found
        raise AttributeError(f'the interface of grebe has no function {name}')

    def __dir__(self):
        return sorted(FUNCTIONS)

    def address(self, name):
        """Returns the address of an exported object or function."""
        entry = OBJECTS.get(name) or FUNCTIONS.get(name)
        if entry is None:
            raise AttributeError(f'the interface of grebe has no object {name}')
        return c.addressof(c.c_char.in_dll(self._file(entry.get('library', 'grebe')), name))

    def closures(self):
        """Returns the library of functions that return structs (python/interface/closures.py)."""
        return self._file('grebe-closures')


lib = Library()
