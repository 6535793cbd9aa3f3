#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks public names against docs/names.md: names.py ROOT CC

Reads all public headers through the compiler's preprocessor, since lists of members declare names by macros.
Verbs without the name of their thing are allowed if the page names them under "Verbs"."""
import collections
import glob
import os
import re
import subprocess
import sys
import tempfile

Function = collections.namedtuple('Function', 'name result types header')
EXPORTED = '__attribute__((visibility("default")))'

# Options that no function takes: they lie in a struct of the caller's.
EMBEDDED = {'gb_plateau_options'}
# What an uppercase macro may do besides: these take types or attributes, as no function can.
NO_FUNCTION = re.compile(r'GB_(CALL|NEW)_\d|GB_(EXPORT_)?BUNDLE|GB_VALUES|GB_COLUMNS|GB_ESTIMATORS|'
                         r'GB_FACTORS|GB_PARAMETER(_OR)?|GB_RESERVE|GB_HAS|GB_NEEDS|GB_(DECLARE|DEFINE)_\w+|'
                         r'GB_PRINTF|GB_OPTION_\w+|'
                         r'\w+_(LIST|ROWS|CODE|BIT)')


class Headers:
    def __init__(self, root, cc):
        self.root = root
        self.functions, self.objects, self.structs, self.aliases = {}, [], {}, {}
        self.wrong = []
        self.names = sorted(name for path in glob.glob(f'{root}/*/*.h')
                            for name in [os.path.relpath(path, root)]
                            if self.is_public(name))
        self.texts = {name: open(f'{root}/{name}', encoding='utf-8').read() for name in self.names}
        self.read(cc)

    def is_public(self, name):
        room = name.split('/')[0]
        outside = ('bench', 'build', 'cli', 'docs', 'examples', 'tests')
        return room not in outside and not re.search(r'_(impl|table)\.h$', name)

    def read(self, cc):
        lines = ''.join(f'#include "{self.root}/{name}"\n' for name in self.names)
        with tempfile.TemporaryDirectory() as folder:  # names do not depend on MPI, which may be missing
            open(os.path.join(folder, 'mpi.h'), 'w').close()
            out = subprocess.run([cc, '-std=c17', '-E', '-x', 'c', '-I', folder, '-'], input=lines, text=True,
                                 check=True, stdout=subprocess.PIPE).stdout
        text, header = collections.defaultdict(list), ''
        for line in out.splitlines():
            marker = re.match(r'# \d+ "([^"]*)"', line)
            if marker:
                header = os.path.relpath(marker[1], self.root) if marker[1].endswith('.h') else ''
            elif header in self.texts:
                text[header].append(line)
        for header, lines in text.items():
            self.read_header(header, re.sub(r'\s+', ' ', ' '.join(lines)))

    def read_header(self, header, text):
        for body, name in re.findall(r'typedef struct(?: gb_\w+)? \{((?:[^{}]|\{[^{}]*\})*)\} ([\w, ]+);',
                                     text):
            for each in name.split(','):
                self.structs[each.strip()] = body.strip()
        for name, body in re.findall(r'(?<!typedef )struct (gb_\w+) \{((?:[^{}]|\{[^{}]*\})*)\};', text):
            self.structs[name] = body.strip()
        for old, new in re.findall(r'typedef (?:struct )?(gb_\w+) (gb_\w+);', text):
            self.aliases[new] = old
        for statement in text.split(EXPORTED)[1:]:
            statement = statement.split(';')[0].strip()
            if statement.startswith('extern'):
                words = re.sub(r'\bextern\b|\bconst\b|\[\]', '', statement).split(None, 1)
                self.objects += [(name.strip(' *'), words[0], header) for name in words[1].split(',')]
                continue
            found = re.match(r'(.*?)(gb_\w+) ?\((.*?)\)( __attribute__.*)?$', statement)
            types = [self.type_of(parameter) for parameter in self.split(found[3])]
            self.functions[found[2]] = Function(found[2], found[1].strip(), [t for t in types if t != 'void'],
                                                header)

    @staticmethod
    def split(parameters):
        """Splits at the commas outside parentheses."""
        return re.split(r',\s*(?![^()]*\))', parameters)

    @staticmethod
    def type_of(parameter):
        """Removes the name: `const gb_dist *q` becomes `const gb_dist *`."""
        parameter = re.sub(r'\bstruct ', '', parameter.strip())
        if ' ' not in parameter:
            return parameter
        return re.sub(r'\s*(?<=[\s*])\w+(\[\w*\])?$', '', parameter).strip()

    def struct(self, name):
        return self.structs.get(name, self.structs.get(self.aliases.get(name, '')))

    def begins_with_size(self, name):
        return (self.struct(name) or '').startswith('size_t size;')

    def macros(self):
        for header, text in self.texts.items():
            text = re.sub(r'/\*.*?\*/', '', text, flags=re.S).replace('\\\n', ' ')
            for name, arguments, body in re.findall(r'^#define (\w+)(\([^)]*\))?[ \t]*(.*)$', text, re.M):
                if not name.startswith('GREBE_'):
                    yield name, arguments, re.sub(r'\s+', ' ', body).strip(), header

    def complain(self, header, text):
        self.wrong.append((header, text))


def thing(type_):
    """Returns gb_dist for `const gb_dist *`; None if the type is no struct of grebe's."""
    found = re.fullmatch(r'(?:const )?(gb_\w+)( \*)?', type_)
    return found[1] if found else None


def check_options(h):
    macros = {name: (body, header) for name, _, body, header in h.macros()}
    for f in h.functions.values():
        for type_ in f.types:
            if h.begins_with_size(type_.replace('const ', '')):
                h.complain(f.header,
                           f'{f.name} takes a {type_} by value; a struct that may grow comes by pointer')
        if not f.name.endswith('_with'):
            continue
        base = f.name[:-len('_with')]
        new = base.endswith('_new')
        of = base[:-len('_new')] if new else base
        options = f'{of}_options'
        if not f.types or f.types[-1] != f'const {options} *':
            h.complain(f.header, f'{f.name} does not end with const {options} *')
            continue
        if not h.begins_with_size(options):
            h.complain(f.header, f'{options} does not begin with size_t size')
        kind, required = ('GB_NEW' if new else 'GB_CALL'), len(f.types) - 1
        size = f'.size = sizeof({options})'
        given = f'__VA_ARGS__, {size}' if required else f'{size}, __VA_ARGS__'
        should = f'{kind}_{required}({of}, {given})'
        if macros.get(base, ('',))[0] != should:
            h.complain(f.header, f'{f.name} has no #define {base}(...) {should}')
    for name in {**h.structs, **h.aliases}:
        if name.endswith('_settings'):
            h.complain('', f'{name}: settings of a function are its options')
        if not name.endswith('_options') or name in EMBEDDED:
            continue
        base = name[:-len('_options')]
        if not any(base + suffix in h.functions for suffix in ('', '_with', '_new_with')):
            h.complain('', f'{name} is not named after its function')
        if not h.begins_with_size(name):
            h.complain('', f'{name} does not begin with size_t size')


def check_macros(h):
    for name, arguments, body, header in h.macros():
        if name.startswith('gb_'):
            behind = [name, f'{name}_with', f'{name}_of']
            if not arguments or not any(function in h.functions for function in behind):
                h.complain(header, f'{name} is a macro only; there is no {" or ".join(behind[1:])}')
        elif not name.startswith('GB_'):
            h.complain(header, f'the macro {name} begins neither with gb_ nor with GB_')
        elif arguments and not NO_FUNCTION.fullmatch(name):
            h.complain(header, f'{name} is called as a function, and so begins with gb_')


def check_callbacks(h):
    """A pointer that a caller's function gets back is `user`, also in the struct or call that brings it."""
    for header, text in h.texts.items():
        for name, pointer in re.findall(r'(\(\*\w+\)|typedef [\w ]+ \**gb_\w+)\((?:const )?void \*(\w+)',
                                        text):
            if pointer not in ('user', 'options', 'attributes'):
                h.complain(header, f'{name} gets a void *{pointer}: a pointer of the caller is called user')
        for name in re.findall(r'\bvoid \*(context|closure|userdata)\b', text):
            h.complain(header, f'void *{name}: a pointer of the caller is called user')


def check_suffixes(h):
    for f in h.functions.values():
        def hold(condition, text):
            if not condition:
                h.complain(f.header, f'{f.name} {text}')
        stem, _, suffix = f.name.rpartition('_')
        if suffix == 'named' and f.name != 'gb_named':
            hold('const char *' in f.types, 'takes no name')
        if f.name.endswith(('_new', '_new_with')):
            owner = re.sub(r'_new(_with)?$', '', f.name)
            hold(f.result == f'{owner} *', f'does not return a {owner} *')
        if suffix == 'free':
            made = f.types[0].replace('const ', '')
            hold(f.result == 'void' and len(f.types) == 1 and made == f'{thing(f.types[0])} *',
                 'does not take one pointer, or returns something')
            hold(any(g.result == made for g in h.functions.values()), 'frees what no function makes')
        if suffix == 'find':
            hold(f.result.endswith('*'), 'does not return a pointer, NULL where there is none')
        if suffix == 'of':
            fills = f.result in ('_Bool', 'gb_status') and re.fullmatch(r'gb_\w+ \*', f.types[-1])
            hold(fills or not f.result.endswith('*'), 'does not return or fill a value')
        if suffix == 'ok':
            hold(f.result == '_Bool' and len(f.types) == 1, f'is not bool ({stem})')
        if suffix == 'same':
            hold(f.result == '_Bool' and len(f.types) == 2 and f.types[0] == f.types[1],
                 f'is not bool ({stem}, {stem})')
        if suffix == 'over':
            hold('gb_axes' in f.types, 'has no hidden axes')
        if suffix == 'along':
            hold('gb_axis_list' in f.types or 'int' in f.types, 'has no axes of the shape')


def check_kinds(h):
    for f in h.functions.values():
        listed = re.fullmatch(r'const (gb_\w+) \*const \*', f.result)
        if listed and f.types == ['size_t *']:
            kind = re.sub(r'_type$', '', listed[1])
            if f.name not in (f'{kind}s', re.sub('y$', 'ies', kind)):
                h.complain(f.header, f'{f.name} is not the plural of {kind}')
            find = h.functions.get(f'{kind}_find')
            if not find or find.result != f'const {listed[1]} *' or find.types != ['const char *']:
                h.complain(f.header, f'{f.name} has no const {listed[1]} *{kind}_find(const char *name)')
        checked = re.fullmatch(r'gb_check_(\w+)_with', f.name)
        if checked and thing(f.types[0]) not in (f'gb_{checked[1]}', f'gb_{checked[1]}_type'):
            h.complain(f.header, f'{f.name} does not check a gb_{checked[1]}')
    for name, type_, header in h.objects:
        kind = re.fullmatch(r'gb_(\w+)_type', type_)
        ending = {'gb_op': '_op', 'gb_domain': '_domain',
                  'gb_dist_type': '_type'}.get(type_, kind and f'_{kind[1]}_type')
        if ending and not name.endswith(ending):
            h.complain(header, f'{name}, a {type_}, does not end in {ending}')


def check_things(h, verbs):
    """A function that takes a thing first begins with its name (gb_update_ suffices for a gb_update_step).
    Exceptions are the verbs, and functions that make a thing: another of its kind, or anything from nodes,
    tapes and noise."""
    unused = set(verbs)
    for f in h.functions.values():
        name = re.sub('_with$', '', f.name)
        unused.discard(name)
        first = thing(f.types[0]) if f.types else None
        if name in verbs or name.endswith(('_new', '_of')) or name.startswith(('gb_is_', 'gb_check_')) \
                or not (first in OPAQUE or h.struct(first)) or first.endswith('_options'):
            continue
        words = PARTS.get(first, ()) + SUBJECTS + (first.split('_')[1],)
        if f.name.split('_')[1].removesuffix('s') in (word.removesuffix('s') for word in words):
            continue
        result = thing(f.result)
        makes = result == first or first in MATERIAL and (result in OPAQUE or h.struct(result))
        if not makes:
            h.complain(f.header, f'{f.name} is about a {first}: '
                                 f'neither {first}_…, nor among the verbs of docs/names.md')
    for name in sorted(unused):
        h.complain('docs/names.md', f'{name}, a verb, is no function')


OPAQUE = {'gb_tape', 'gb_program', 'gb_expect', 'gb_elbo', 'gb_batches', 'gb_workers'}
MATERIAL = {'gb_tape', 'gb_node', 'gb_noise', 'gb_shape'}  # what everything is made of
SUBJECTS = ('option', 'plugin')  # gb_options_copy
# gb_variable_name(node), gb_site_axis_size(tape, axis)
PARTS = {'gb_node': ('variable', 'constant'), 'gb_tape': ('site',)}


def main():
    root, cc = os.path.abspath(sys.argv[1]), sys.argv[2]
    h = Headers(root, cc)
    page = open(f'{root}/docs/names.md', encoding='utf-8').read()
    verbs = re.findall(r'`(gb_\w+)`', page.split('## Verbs')[1].split('\n## ')[0])
    check_options(h)
    check_macros(h)
    check_callbacks(h)
    check_suffixes(h)
    check_kinds(h)
    check_things(h, verbs)
    wrong = h.wrong
    for header, text in wrong:
        print(f'{header}: {text}' if header else text, file=sys.stderr)
    if not wrong:
        print(f'{len(h.functions)} functions in {len(h.names)} headers are named by docs/names.md')
    return bool(wrong)


sys.exit(main())
