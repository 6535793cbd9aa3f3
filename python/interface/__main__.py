# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the description of the public interface, for other languages:

    python3 python/interface ROOT OUTPUT LIBRARY KIT-HEADERS(yes|no) COMPILER [ARGUMENT...]

ROOT is the source tree, OUTPUT a folder: it gets interface.json, __init__.pyi and closures.c.
LIBRARY is libgrebe, which has the lists."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from interface import closures, comments, declarations, measure, roles, stubs, tokens  # noqa: E402

ROOMS = ['core', 'data', 'ops', 'plugins', 'distributions', 'estimators', 'models', 'ready', 'fitting',
         'prediction', 'compare']


def describe(root, output, library, with_kits, compiler):
    """Returns the description."""
    headers = tokens.public_headers(root, ROOMS + (['kit'] if with_kits else []))
    declared = declarations.Declarations(tokens.preprocessed(root, headers, compiler))
    about = comments.document(root, declared)
    bodies, calls = measure.macros(root, headers)
    kinds = [name for name, entry in declared.objects.items() if entry['type'] == 'const gb_kind']
    source = measure.program(root, headers, declared, bodies, kinds)
    lines = measure.run(source, f'{output}/measure', compiler, library)
    values, constants, lists, members = measure.read(lines, declared)
    for entry in declared.enums.values():
        for value in entry['values']:
            value['value'] = values[value['name']]
    for name, type_ in members.items():
        if type_:
            declared.functions[name]['member'] = type_
    for entry in declared.functions.values():
        entry['library'] = 'grebe-kit' if entry['header'].startswith('kit/') else 'grebe'
    for group in (declared.functions, declared.structs, declared.enums, declared.callbacks, declared.objects):
        for entry in group.values():
            entry.pop('line', None)
    version = '.'.join(str(constants[f'GB_VERSION_{part}']) for part in ('MAJOR', 'MINOR', 'PATCH'))
    return {
        'version': version,
        'headers': about,
        'functions': declared.functions,
        'macros': {name: {'function': f, 'required': n} for name, (f, n) in sorted(calls.items())},
        'structs': declared.structs,
        'enums': declared.enums,
        'callbacks': declared.callbacks,
        'objects': declared.objects,
        'objects_by_macro': {name: body[2:-1] for name, body in bodies.items() if body.startswith('(&')},
        'constants': constants,
        'aliases': declared.aliases,
        'opaque': sorted(name for name in declared.opaque if name not in declared.structs),
        'kinds': lists,
    }


def main():
    root, output, library, with_kits, *compiler = sys.argv[1:]
    os.makedirs(output, exist_ok=True)
    interface = describe(os.path.abspath(root), output, library, with_kits == 'yes', compiler)
    roles.set_roles(interface)
    source = closures.text(interface)  # it names stocks in the description
    for name, text in (('interface.json', json.dumps(interface, ensure_ascii=False, indent=1) + '\n'),
                       ('__init__.pyi', stubs.text(interface, f'{root}/python/grebe')),
                       ('closures.c', source)):
        with open(f'{output}/{name}', 'w', encoding='utf-8') as file:
            file.write(text)


if __name__ == '__main__':
    main()
