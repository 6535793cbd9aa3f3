# SPDX-License-Identifier: GPL-3.0-or-later
"""What each parameter is to a caller in another language, beyond its type: its `role`.

    value     an argument
    count     how many the list has that follows
    list      a pointer to so many values
    same      another pointer to as many values
    options   a pointer to a struct of options, by name; NULL: all defaults
    file      where a text is written
    user      what the callback before it gets back
    room      where a result is written
    raw       bytes, numbers whose count nothing says, or what else has no type that tells how to make it"""
import re

COUNT = {'size_t', 'int', 'int64_t'}
COUNT_NAMES = re.compile('count$|^bytes$|^roots$')
RESULTS = {'gb_node', 'gb_measure', 'gb_shape', 'gb_learned', 'gb_reach', 'gb_axes', 'gb_op', 'gb_bundle'}


def plain(type_):
    return type_.replace('const ', '').replace('*const', '*').strip()


def set_roles(interface):
    """Sets the role of each parameter of each function."""
    for name, entry in interface['functions'].items():
        parameters = entry['parameters']
        for i, p in enumerate(parameters):
            before = parameters[i - 1] if i else None
            after = parameters[i + 1] if i + 1 < len(parameters) else None
            p['role'] = role(interface, name, p, before, after)


def role(interface, function, p, before, after):
    type_, word = p['type'], plain(p['type'])
    to = word[:-1].strip() if word.endswith('*') else None
    constant = type_.startswith('const ')
    if word == 'FILE *':
        return 'file'
    if word == 'void *' and before and is_callback(interface, before['type']):
        return 'user'
    if type_ == '...' or to == 'void' or '(*)' in type_ or to is not None and to.endswith('*'):
        return 'raw'
    if is_callback(interface, type_) or to is None or word == 'char *' and constant:
        counts = after and type_ in COUNT and COUNT_NAMES.search(p['name']) and is_list(after)
        return 'count' if counts else 'value'
    if after is None and constant and to.endswith('_options') and function.endswith('_with'):
        return 'options'
    if before and before.get('role') == 'count':
        return 'list'
    if to in interface['structs'] or to in interface['opaque'] or to == 'gb_tape':
        return 'room' if to in RESULTS else 'value'
    if constant and before and before.get('role') in ('list', 'same') and plain(before['type']) == word:
        return 'same'
    return 'raw' if constant else 'room'


def is_callback(interface, type_):
    return type_ in interface['callbacks'] or plain(type_).rstrip(' *') in interface['callbacks']


def is_list(p):
    to = plain(p['type'])[:-1].strip()
    return p['type'].startswith('const ') and plain(p['type']).endswith('*') and to not in ('void', 'char') \
        and not to.endswith('*')
