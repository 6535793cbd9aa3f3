# SPDX-License-Identifier: GPL-3.0-or-later
"""The description of grebe's public interface, which the build wrote from the headers: interface.json."""
import functools
import json
import os
import pathlib


def folder():
    """Returns the folder that has the description and the libraries: GREBE_LIBRARY, or `_lib` of the package,
    or that of a build beside its sources."""
    given = os.environ.get('GREBE_LIBRARY')
    if given:
        return pathlib.Path(given)
    package = pathlib.Path(__file__).parents[1]
    root = pathlib.Path(__file__).resolve().parents[3]
    builds = [root / 'build' / preset / 'python' / 'grebe' / '_lib'
              for preset in ('release', 'check', 'debug')]
    for place in [package / '_lib', *builds]:
        if (place / 'interface.json').exists():
            return place
    raise ImportError('the library of grebe was not found: install the package (pip install ./python), build '
                      'grebe beside its sources (the target `python`), or let GREBE_LIBRARY name the '
                      'folder that has interface.json and libgrebe')


def _read():
    with open(folder() / 'interface.json', encoding='utf-8') as file:
        return json.load(file)


DATA = _read()
FUNCTIONS, STRUCTS, ENUMS = DATA['functions'], DATA['structs'], DATA['enums']
CALLBACKS, OBJECTS, KINDS = DATA['callbacks'], DATA['objects'], DATA['kinds']


@functools.lru_cache(None)
def plain(type_):
    """Returns a type without `const`, and with other names for it replaced."""
    words = type_.replace('const ', '').replace('*const', '*')
    stem = words.rstrip(' *')
    return DATA['aliases'].get(stem, stem) + words[len(stem):]


def pointed(type_):
    """Returns what a pointer points to; None for other types."""
    words = plain(type_)
    return words[:-1].rstrip() if words.endswith('*') else None


def is_callback(type_):
    return type_ in CALLBACKS or pointed(type_) in CALLBACKS


@functools.lru_cache(None)
def function_of(name):
    """Returns the C function behind a name without gb_: gb_NAME, else gb_NAME_with; None if there is none."""
    for candidate in (f'gb_{name}', f'gb_{name}_with'):
        if candidate in FUNCTIONS:
            return candidate
    call = DATA['macros'].get(f'gb_{name}')
    return call and call['function']


@functools.lru_cache(None)
def methods(thing):
    """Returns the functions whose first parameter is a pointer to a thing, or the thing itself, by the names
    that they have as its methods: gb_elbo_loss is `loss`, and gb_latent_with is `latent`."""
    found, stem = {}, thing.removeprefix('gb_')
    for name, entry in FUNCTIONS.items():
        first = entry['parameters'][0]['type'] if entry['parameters'] else ''
        if thing in (plain(first), pointed(first)):
            word = name.removeprefix('gb_').removesuffix('_with')
            for prefix in (f'{stem}_', f'{stem.removesuffix("_table")}_'):  # gb_summary_json of a table
                word = word.removeprefix(prefix)
            found.setdefault(word, name)
    return found
