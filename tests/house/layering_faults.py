#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plants faults in a copy of the tree, one at a time, and expects layering.py to report each:
layering_faults.py ROOT"""
import os
import shutil
import subprocess
import sys
import tempfile

ROOMS = ('core data ops plugins distributions estimators models ready fitting prediction compare kit cli '
         'examples').split()


def append(path, text):
    def plant(root):
        with open(os.path.join(root, path), 'a', encoding='utf-8') as file:
            file.write('\n' + text + '\n')
    return plant


def write(path, text=''):
    def plant(root):
        os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
        with open(os.path.join(root, path), 'w', encoding='utf-8') as file:
            file.write(text + '\n')
    return plant


def several(*plants):
    def plant(root):
        for each in plants:
            each(root)
    return plant


FAULTS = [
    ('a room includes a higher one', append('core/tape/tape.c', '#include "ops/elementwise.h"'),
     'uses the higher room ops'),
    ('a box includes a higher one', append('core/ground/shape.c', '#include "core/tape/tape_impl.h"'),
     'uses the higher box'),
    ('a private header is included from another box',
     append('ops/draws/draws.c', '#include "ops/products/blas_impl.h"'), 'is private to ops/products/'),
    ('a public header includes a private one', append('core/tape.h', '#include "tape/tape_impl.h"'),
     'a public header includes a private one'),
    ('a public header includes from the root', append('ops/reduce.h', '#include "core/tape.h"'),
     'not relative to itself'),
    ('a header is not there', append('ops/reduce.h', '#include "nowhere.h"'), 'which is not there'),
    ('files include each other in a circle',
     several(write('core/run/one_impl.h', '#include "core/run/two_impl.h"'),
             write('core/run/two_impl.h', '#include "core/run/one_impl.h"')), 'a circle of 2 files'),
    ('a folder is crowded', several(*(write(f'core/run/many_{i}.c') for i in range(25))),
     '24 fit into a glance'),
    ('a box is not declared', write('core/attic/old.c'),
     'core/attic: layering.txt does not declare this box'),
    ('a declared box is gone', lambda root: shutil.rmtree(os.path.join(root, 'compare/tables')),
     'compare/tables: is no box'),
    ('an operation is defined in a higher room',
     append('models/elbo/elbo.c', 'static const gb_op my_op = {0};'),
     'an operation is defined outside ops/'),
    ('an example includes a private header', append('examples/00_evidence.c', '#include "core/tape.h"'),
     'an example includes'),
    ('an include in angle brackets', append('core/tape/tape.c', '#include <ops/elementwise.h>'),
     'inside the library write'),
    ('an include by a macro', append('core/tape/tape.c', '#define H "ops/elementwise.h"\n#include H'),
     'names its file'),
    ('a header is private to a folder of a box',
     append('distributions/families/numbers/gumbel.c',
            '#include "distributions/families/vectors/gaussian_impl.h"'),
     'is private to distributions/families/vectors/'),
    ('a private header exports', append('core/tape/leaf_impl.h', 'GB_API int gb_hidden(void);'),
     'a private header exports'),
    ('a private header that nobody includes', write('core/tape/old_impl.h'), 'nobody includes it'),
    ('a room is not declared', write('spare/spare.c'), 'spare/: layering.txt does not declare this room'),
    ('a header is shared in vain', append('tests/house/layering.txt',
                                          'shared core/tape/op_impl.h cli - why not'),
     'is shared with cli/, where nothing includes it'),
]


def compiled(path, text):
    """Plants a source and its object, for faults that only symbols show."""
    def plant(root):
        write(path, text)(root)
        made = os.path.join(root, 'build/CMakeFiles/house.dir', path + '.o')
        os.makedirs(os.path.dirname(made), exist_ok=True)
        subprocess.run([os.environ.get('CC', 'cc'), '-c', os.path.join(root, path), '-o', made], check=True)
    return plant


FAULTS.append(('functions call each other in a circle of files',
               several(compiled('core/run/one.c', 'void gb_two(void); void gb_one(void) { gb_two(); }'),
                       compiled('core/run/two.c', 'void gb_one(void); void gb_two(void) { gb_one(); }')),
               'a circle of 2 files'))


FAULTS.append(('a source is not compiled', several(compiled('core/run/one.c', ''), write('core/run/two.c')),
               'core/run/two.c: the build does not compile it'))
FAULTS.append(('a file that is no member climbs to a list',
               several(compiled('core/run/one.c', ''),
                       append('estimators/expectation/fold.c', '#include "estimators/list.h"')),
               'estimators/expectation/fold: uses the higher box estimators/list'))


def complaints(root):
    build = os.path.join(root, 'build')
    return subprocess.run([sys.executable, os.path.join(root, 'tests/house/layering.py'), root,
                           *([build] if os.path.isdir(build) else [])],
                          stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, check=False).stderr


def main(source):
    missed = 0
    for name, plant, words in FAULTS:
        with tempfile.TemporaryDirectory() as root:
            for room in ROOMS + ['tests/house']:
                shutil.copytree(os.path.join(source, room), os.path.join(root, room))
            plant(root)
            if words not in complaints(root):
                print(f'not reported: {name}', file=sys.stderr)
                missed += 1
    print(f'{len(FAULTS) - missed} of {len(FAULTS)} faults are reported')
    return missed == 0


if __name__ == '__main__':
    sys.exit(0 if main(sys.argv[1]) else 1)
