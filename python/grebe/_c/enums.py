# SPDX-License-Identifier: GPL-3.0-or-later
"""Enums of the interface: gb_fit_method is FitMethod, GB_FIT_LAPLACE is FitMethod.LAPLACE, and functions take
the word "laplace" for it, too."""
import enum
import functools
import os

from .interface import ENUMS, plain


def _prefix(names):
    """Returns what all names begin with, up to an underscore."""
    if len(names) < 2:
        return 'GB_'
    common = os.path.commonprefix(names)
    return common[:common.rfind('_') + 1] or 'GB_'


@functools.lru_cache(None)
def enum_of(name):
    """Returns the enum of a type of C."""
    entry = ENUMS[plain(name)]
    names = [value['name'] for value in entry['values']]
    start = len('GB_') if name == 'gb_status' else len(_prefix(names))
    members = {}
    for value in entry['values']:
        word = value['name'][start:]
        members[word if word.isidentifier() else value['name']] = value['value']
    made = enum.IntEnum(class_name(name), members, module='grebe')
    made.__doc__ = entry['doc'] or name
    return made


def class_name(name):
    return ''.join(word.capitalize() for word in name.removeprefix('gb_').split('_'))


def enum_value(name, value, what):
    """Returns the number that a member, a number or a word stands for."""
    members = enum_of(name)
    if isinstance(value, str):
        found = members.__members__.get(value.upper().replace(' ', '_').replace('-', '_'))
        if found is None:
            raise ValueError(f'{what} is "{value}", and must be one of: {words(members)}')
        return int(found)
    try:
        return int(members(value))
    except ValueError:
        raise ValueError(f'{what} is {value!r}, and must be one of: {words(members)}') from None


def words(members):
    return ', '.join(name.lower() for name in members.__members__)
