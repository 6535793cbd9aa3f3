# SPDX-License-Identifier: GPL-3.0-or-later
"""A C program, compiled with the headers and linked to the library, prints what only a compiler knows (sizes,
offsets, values of constants) and what only the library knows (its lists of plug-ins)."""
import json
import os
import re
import subprocess

CALLED = re.compile(r'^(gb_\w+_(of|parse|find)|gb_row_by_row)$')  # make a value of a kind, but of no one type


def macros(root, headers):
    """Returns (constants, macros that are called) of the headers: {name: body}, {name: (function, count)}."""
    constants, calls = {}, {}
    for header in headers:
        with open(f'{root}/{header}', encoding='utf-8') as file:
            text = re.sub(r'/\*.*?\*/', '', file.read(), flags=re.S).replace('\\\n', ' ')
        for name, arguments, body in re.findall(r'^#define (\w+)(\([^)]*\))?[ \t]*(.*)$', text, re.M):
            call = re.match(r'GB_(CALL|NEW)_(\d)\((\w+)', body.strip())
            if arguments and call:
                calls[name] = (f'{call[3]}{"_new" if call[1] == "NEW" else ""}_with', int(call[2]))
            elif not arguments and re.match(r'\(&gb_\w+\)|\(\(gb_axes\)|[\d.]+$', body.strip()):
                constants[name] = body.strip()
    return constants, calls


def constructors(declared, kinds):
    """Returns the functions that make a value of a kind, with their results."""
    found = {}
    for name, entry in declared.functions.items():
        kind = entry['result'] + '_kind'
        inner = {'gb_kind *', entry['result'] + ' *'}
        if kind in kinds and entry['result'] != 'gb_dist' and not CALLED.match(name) \
                and not any(p['type'].replace('const ', '') in inner or p['type'].endswith('_type *')
                            for p in entry['parameters']) and entry['result'] != 'gb_transform':
            found[name] = entry
    return found


def program(root, headers, declared, constants, kinds):
    lines = ['#include <stddef.h>', '#include <stdio.h>', *(f'#include "{root}/{name}"' for name in headers),
             SUPPORT, 'int main(void)', '{']
    for name, entry in declared.structs.items():
        owner, _, inner = name.partition('.')
        what = f'(({owner} *)0)->{inner}[0]' if inner else owner
        lines.append(f'printf("S {name} %zu\\n", sizeof({what}));')
        for field in entry['fields']:
            path = f'{inner}[0].{field["name"]}' if inner else field['name']
            whole = f'(({owner} *)0)->{path}'
            rank = field['type'].count('[') if '(*)' not in field['type'] else 0
            element = whole + '[0]' * rank
            row = whole + '[0]' * min(rank, 1)
            base = f' - offsetof({owner}, {inner})' if inner else ''
            lines.append(f'printf("F {name} {field["name"]} %zu %zu %zu %zu\\n", offsetof({owner}, {path})'
                         f'{base}, sizeof({whole}), sizeof({row}), sizeof({element}));')
    for entry in declared.enums.values():
        lines += [f'printf("E {value["name"]} %lld\\n", (long long){value["name"]});'
                  for value in entry['values']]
    for name, body in constants.items():
        if not body.startswith('(&'):
            lines.append(f'PRINT_CONSTANT("{name}", {name});')
    for kind in kinds:
        lines.append(f'print_kind("{kind}", &{kind}, {int(kind == "gb_dist_kind")});')
    for name, entry in constructors(declared, kinds).items():
        given = ', '.join('NULL' if p['type'].endswith('*') else f'({p["type"]}){{0}}'
                          for p in entry['parameters'])
        lines.append(f'{{ const gb_plugin *p = (const void *){name}({given}).type; '
                     f'printf("M {name} %s\\n", p ? p->name : ""); }}')
    return '\n'.join(lines) + '\nreturn 0;\n}\n'


SUPPORT = r'''
#define PRINT_CONSTANT(name, x) _Generic((x), double : print_real, default : print_whole)(name, (x))
static void print_real(const char *name, double x) { printf("C %s %.17g\n", name, x); }
static void print_whole(const char *name, unsigned long long x) { printf("C %s %llu\n", name, x); }
static void print_text(const char *text)
{
    if (!text) {
        printf("null");
        return;
    }
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
    putchar('"');
}
static void print_options(const char *name, const gb_option *o, size_t most)
{
    printf(", \"%s\": [", name);
    for (size_t i = 0; o && i < most && o[i].name; i++) {
        printf("%s{\"name\": ", i ? ", " : "");
        print_text(o[i].name);
        printf(", \"form\": %d, \"domain\": ", (int)o[i].form);
        print_text(o[i].domain ? o[i].domain->name : NULL);
        printf(", \"words\": ");
        print_text(o[i].words);
        printf(", \"default\": \"%.17g\", \"argument\": %d, \"optional\": %d, \"plugin\": ", o[i].fallback,
               o[i].is_argument, o[i].is_optional);
        print_text(o[i].fallback_type ? ((const gb_plugin *)o[i].fallback_type)->name : NULL);
        printf(", \"kind\": ");
        print_text(o[i].kind ? o[i].kind->name : NULL);
        printf(", \"choices\": [");
        for (size_t c = 0; o[i].choices && o[i].choices[c]; c++) {
            printf("%s", c ? ", " : "");
            print_text(o[i].choices[c]);
        }
        printf("]}");
    }
    printf("]");
}
static void print_kind(const char *object, const gb_kind *kind, int is_dist)
{
    const gb_plugin *p;
    for (size_t i = 0; (p = kind->at(i)) != NULL; i++) {
        printf("K %s {\"name\": ", object);
        print_text(p->name);
        printf(", \"formula\": ");
        print_text(p->formula);
        if (!kind->no_options && kind->type_bytes) {
            printf(", \"cite\": ");
            print_text(p->cite);
            if (is_dist) {
                const gb_dist_type *d = (const void *)p;
                print_options("param", d->param, GB_MAX_PARAMS);
                print_options("alternative", d->alternative, GB_MAX_PARAMS);
                printf(", \"support\": ");
                print_text(d->support ? d->support->name : NULL);
            } else {
                print_options("options", p->options, GB_MOST_OPTIONS);
            }
        }
        printf("}\n");
    }
    printf("N %s %s\n", object, kind->name);
}
'''


def run(source, folder, compiler, library):
    """Compiles the program and returns its lines."""
    os.makedirs(folder, exist_ok=True)
    path = f'{folder}/measure.c'
    with open(path, 'w', encoding='utf-8') as file:
        file.write(source)
    place = os.path.dirname(library)
    subprocess.run([*compiler, '-std=c17', '-w', path, '-o', f'{folder}/measure', library,
                    f'-Wl,-rpath,{place}'], check=True)
    environment = {**os.environ, 'ASAN_OPTIONS': 'detect_leaks=0'}
    return subprocess.run([f'{folder}/measure'], check=True, text=True, encoding='utf-8', env=environment,
                          stdout=subprocess.PIPE).stdout.splitlines()


def read(lines, declared):
    """Sets sizes and offsets of what was declared; returns (enumerators, constants, kinds, members)."""
    values, constants, kinds, members = {}, {}, {}, {}
    for line in lines:
        code, rest = line.split(' ', 1)
        if code == 'K':
            kind, text = rest.split(' ', 1)
            kinds.setdefault(kind, {'members': []})['members'].append(json.loads(text))
        elif code == 'N':
            kind, name = rest.split(' ', 1)
            kinds.setdefault(kind, {'members': []})['name'] = name
        elif code == 'M':
            function, _, name = rest.partition(' ')
            members[function] = name
        else:
            words = rest.split()
            if code == 'S':
                declared.structs[words[0]]['size'] = int(words[1])
            elif code == 'F':
                measured(declared.structs[words[0]], words[1], *map(int, words[2:]))
            elif code == 'E':
                values[words[0]] = int(words[1])
            else:
                constants[words[0]] = float(words[1]) if re.search('[.e]', words[1]) else int(words[1])
    return values, constants, kinds, members


def measured(struct, name, offset, whole, row, element):
    field = next(f for f in struct['fields'] if f['name'] == name)
    field.update(offset=offset, size=whole)
    rank = field['type'].count('[') if '(*)' not in field['type'] else 0
    if rank:
        field['type'] = field['type'].split('[')[0].rstrip()
        field['shape'] = [whole // row] + ([row // element] if rank > 1 else [])
