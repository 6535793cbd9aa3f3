#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Planted faults: does a test, or a kit, notice each of them?

    faults.py fit ROOT            fails if an expression of library.txt is not, or not once, in its file, or
                                  one is no expression as far as its brackets and words tell
    faults.py compile ROOT BUILD [WORDS]
                                  fails if the compiler rejects one of them (with WORDS as below): seconds
                                  for all of them, and names, where the target `faults` takes minutes
    faults.py files ROOT          prints, for CMake: the files that have faults; what to compile; the tests
    faults.py plant ROOT FOLDER   writes a copy of these sources, in which GB_FAULT chooses an expression
    faults.py run ROOT BUILD [WORDS]
                                  runs the tests beside each fault (with WORDS in its name, file or tests),
                                  and each fault of the kits (in its name); fails if one survives that
                                  survivors.txt does not name

library.txt and survivors.txt say how they are read.
"""
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
LEAST_IN_LIBRARY, LEAST_IN_KITS, MOST_SURVIVORS = 60, 120, 5
SECONDS = 300  # after them a test has no verdict, and so has not noticed
MOST_SECONDS = 1200  # for all of them, on two cores
OTHER_TABLE = 97  # choose.c ends with it

Fault = collections.namedtuple('Fault', 'number name file function good bad tests')


def rows(path, fields):
    """The lines of a table, split at its separator; empty lines and comments are left out."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.strip() and not line.startswith('#'):
            parts = [part.strip() for part in line.split(' ;; ')]
            if len(parts) != fields:
                sys.exit(f'{path.name}:{number}: {len(parts)} fields, and {fields} are needed: {line}')
            yield parts


def library(words=''):
    faults = []
    for name, place, good, bad, tests in rows(HERE / 'library.txt', 5):
        file, _, function = place.partition('@')
        faults.append(Fault(len(faults) + 1, name, file, function, good, bad, tests.split()))
    return [f for f in faults if any(words in part for part in (f.name, f.file, *f.tests))]


def table_hash():
    return hashlib.sha256((HERE / 'library.txt').read_bytes()).hexdigest()[:16]


def survivors():
    return {name: reason for name, reason in rows(HERE / 'survivors.txt', 2)}


def span(text, function):
    """Where the body of a function is: from the line of its declaration to the brace that ends it."""
    if not function:
        return 0, len(text)
    begin = re.search(rf'^[a-z].*\b{re.escape(function)}\([^;]*?\)\n\{{', text, re.M)
    if not begin:
        return 0, 0
    return begin.end(), text.index('\n}', begin.end())


def pattern(expression):
    """The expression, with any blanks and line breaks where it has a blank."""
    return re.compile(r'\s+'.join(re.escape(word) for word in expression.split()))


def places(text, fault):
    begin, end = span(text, fault.function)
    return [(m.start(), m.end()) for m in pattern(fault.good).finditer(text, begin, end)]


STATEMENTS = {'if', 'else', 'for', 'while', 'do', 'switch', 'case', 'default', 'return', 'break', 'continue',
              'goto'}
CLOSES = {'(': ')', '[': ']', '{': '}'}


def why_no_expression(text):
    """What the brackets and words of an expression show to be wrong; None: nothing."""
    bare = re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', '0', text)
    awaited = []
    for letter in bare:
        if letter in CLOSES:
            awaited.append(CLOSES[letter])
        elif letter in CLOSES.values() and (not awaited or awaited.pop() != letter):
            return f'{letter} closes nothing'
    first = re.match(r'\s*(\w*)', bare).group(1)
    return (f'{awaited[-1]} is missing' if awaited else
            'it has a semicolon' if ';' in bare else
            'it has a quotation mark too many' if '"' in bare else
            f'{first} begins a statement' if first in STATEMENTS else
            'it begins with an operator' if re.match(r'\s*(?:[*&](?=\s)|[/%<>=^|?:,.]|!=|&&|->|$)', bare) else
            'it ends with an operator' if re.search(r'(?:[^-+][-+]|[*/%&|^<>=!~?:,.])\s*$', bare) else None)


TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[\w.]*\w|->|\+\+|--|<<=|>>=|<<|>>|[-+*/%&|^<>=!]='
                   r'|&&|\|\||\S')
LOOSEST_FIRST = [[','], ['=', '+=', '-=', '*=', '/=', '%=', '|=', '&=', '^=', '<<=', '>>='], ['?', ':'],
                 ['||'], ['&&'], ['|'], ['^'], ['&'], ['==', '!='], ['<', '>', '<=', '>='], ['<<', '>>'],
                 ['+', '-'], ['*', '/', '%']]
BINDS = {operator: i for i, row in enumerate(LOOSEST_FIRST) for operator in row}
UNARY = len(LOOSEST_FIRST)


def ends_operand(token):
    return bool(re.match(r'[\w"\')\]]', token)) and token not in STATEMENTS


def loosest(tokens):
    """How loosely an expression holds together: by its binary operators outside of brackets."""
    depth, found = 0, UNARY + 1
    for before, token in zip([''] + tokens, tokens):
        depth += (token in CLOSES) - (token in CLOSES.values())
        is_cast = before == ')' and re.match(r'\w', token)
        if depth == 0 and token in BINDS and ends_operand(before):
            found = min(found, BINDS[token])
        elif depth == 0 and (token in ('!', '~') or token in BINDS or is_cast):
            found = min(found, UNARY)
    return found


def why_not_in_brackets(text, begin, end):
    """What would change if this part of a source were put in brackets; None: nothing."""
    before, inside, after = (TOKEN.findall(part) for part in
                             (text[max(0, begin - 300):begin], text[begin:end], text[end:end + 40]))
    holds, left, right = loosest(inside), before[-1] if before else ';', after[0] if after else ';'
    is_unary = left in ('!', '~') or left in ('-', '+', '*', '&') and not ends_operand(before[-2])
    by_left = UNARY if is_unary else BINDS.get(left, -1)
    by_right = UNARY + 1 if right in ('(', '[', '.', '->', '++', '--') else BINDS.get(right, -1)
    if left in ('.', '->') or inside[0] in CLOSES and re.match(r'\w', left) and left not in STATEMENTS:
        return f'{left} belongs to it'
    if holds < by_left or holds == by_left and left in ('-', '/', '%', '<<', '>>'):
        return f'{left} before it holds closer'
    return f'{right} behind it holds closer' if holds < by_right else None


def is_used(root, fault):
    """Whether a planted header reaches a source: kernels for instruction sets are not compiled anew."""
    return any(fault.function in (root / file).read_text() for file in sources(root, fault.file))


def overlaps(changes):
    """Pairs of faults whose expressions share a part, but neither contains the other."""
    return [(a[2], b[2]) for a in changes for b in changes if a[0] < b[0] < a[1] < b[1]]


def fit(root):
    faults, complaints, known = library(), [], survivors()
    changes = collections.defaultdict(list)
    if len(faults) < LEAST_IN_LIBRARY:
        complaints.append(f'library.txt has {len(faults)} faults, and must have {LEAST_IN_LIBRARY}')
    if len(known) > MOST_SURVIVORS:
        complaints.append(f'survivors.txt has {len(known)} survivors, and may have {MOST_SURVIVORS}')
    names = collections.Counter(f.name for f in faults)
    complaints += [f'{name}: {count} faults have this name' for name, count in names.items() if count > 1]
    complaints += [f'{f.name}: the faulty expression is the good one' for f in faults
                   if f.good.split() == f.bad.split()]
    for f in faults:
        complaints += [f'{f.name}: no expression, since {why}: {text}' for text in (f.good, f.bad)
                       for why in [why_no_expression(text)] if why]
        path = root / f.file
        text = path.read_text() if path.is_file() else ''
        found = places(text, f)
        if f.file.endswith('.h') and not is_used(root, f):
            complaints.append(f'{f.name}: no source that is compiled for faults uses {f.function}')
        if len(found) != 1:
            complaints.append(f'{f.name}: {f.file} {f.function} has {len(found)} times, not once: {f.good}')
        else:
            changes[f.file].append((*found[0], f))
            complaints += [f'{f.name}: brackets change its meaning, since {why}: {f.good}'
                           for why in [why_not_in_brackets(text, *found[0])] if why]
        for test in f.tests:
            if not source_of(root, test).is_file():
                complaints.append(f'{f.name}: there is no test {test}')
    complaints += [f'{a.name}: its expression and that of "{b.name}" overlap'
                   for file in changes for a, b in overlaps(changes[file])]
    print('\n'.join(complaints) or f'{len(faults)} faults fit the sources')
    return not complaints


# ---- for the build ----

def subject_of(test):
    return test.partition(':')[0]


def source_of(root, test):
    folder, _, subject = subject_of(test).rpartition('/')
    return root / 'tests' / folder / f'test_{subject}.c'


def includes(path, header):
    return f'#include "{header}"' in path.read_text()


def sources(root, file):
    """The sources to compile for a planted file: itself, or those beside a header that include it."""
    if file.endswith('.c'):
        return {file}
    beside = (root / file).parent.glob('*.c')
    return {str(path.relative_to(root)) for path in beside
            if includes(path, file) and not path.name.endswith('_vector.c')}


def files(root):
    all_files = sorted({f.file for f in library()})
    compiled = sorted(set().union(*(sources(root, file) for file in all_files)))
    print(';'.join(all_files))
    print(';'.join(compiled))
    print(';'.join(sorted({subject_of(test) for f in library() for test in f.tests})))
    return True


def with_choices(text, begin, end, changes):
    """The text from begin to end. A change may contain others; the longer one is the outer one."""
    out, at = '', begin
    for of, to, f in sorted(changes, key=lambda change: (change[0], -change[1])):
        if of < at:
            continue
        inside = [c for c in changes if of <= c[0] and c[1] <= to and c[2] is not f]
        good = with_choices(text, of, to, inside)
        out += f'{text[at:of]}(gb_fault_chosen == {f.number} ? ({f.bad}) : ({good}))'
        at = to
    return out + text[at:end]


def planted(root, file, faults):
    """The source with a choice at each of its faults. Line numbers stay those of the source."""
    text, changes = (root / file).read_text(), []
    for f in faults:
        found = places(text, f)
        if len(found) != 1:
            sys.exit(f'{f.name}: {file} {f.function} has {len(found)} times, not once: {f.good}')
        changes.append((*found[0], f))
    return f'#line 1 "{root / file}"\n{with_choices(text, 0, len(text), changes)}'


def write(to, text):
    to.parent.mkdir(parents=True, exist_ok=True)
    if not to.is_file() or to.read_text() != text:
        to.write_text(text)


def plant(root, folder):
    planted_files = {f.file for f in library()}
    for file in set().union(planted_files, *(sources(root, file) for file in planted_files)):
        write(folder / file, planted(root, file, [f for f in library() if f.file == file]))
    write(folder / 'table_hash_impl.h', f'#define GB_TABLE_HASH "{table_hash()}"\n')
    return True


def commands_of(build, folder):
    """By planted source: the command of the build, which looks for errors alone."""
    entries = json.loads((build / 'compile_commands.json').read_text())
    return {str(pathlib.Path(e['file']).relative_to(folder)):
            re.sub(r' -o \S+ -c ', ' -fsyntax-only ', e['command']).split()
            for e in entries if pathlib.Path(e['file']).is_relative_to(folder)}


def first_error(command):
    done = subprocess.run(command, capture_output=True, text=True, errors='replace')
    errors = [line for line in done.stderr.splitlines() if ' error: ' in line]
    return None if done.returncode == 0 else (errors or [done.stderr.strip()])[0]


def error_alone(root, folder, file, fault, command):
    """The compiler's error in this source if it has this fault alone."""
    with tempfile.TemporaryDirectory() as alone:
        for path in {file, fault.file}:
            write(pathlib.Path(alone) / path, planted(root, path, [fault] if path == fault.file else []))
        return first_error([word.replace(str(folder), alone) for word in command])


def compile_them(root, build, words=''):
    folder = build / 'tests/faults/planted'
    plant(root, folder)
    faults, commands = library(words), commands_of(build, folder)
    of_file = collections.defaultdict(list)
    for f in faults:
        for file in sources(root, f.file):
            of_file[file].append(f)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        errors = pool.map(lambda file: first_error(commands[file]), of_file)
        wrong = [(f, file) for file, error in zip(of_file, errors) if error for f in of_file[file]]
        alone = pool.map(lambda at: error_alone(root, folder, at[1], at[0], commands[at[1]]), wrong)
        complaints = [f'{f.name}: {error}' for (f, _), error in zip(wrong, alone) if error]
    print('\n'.join(complaints) or f'{len(faults)} faults compile')
    return not complaints


# ---- running ----

# How a program ended: PASSED and FAILED are its own verdicts; CRASHED is a signal, which CMocka may catch.
PASSED, FAILED, CRASHED, ENDLESS = 'passed', 'failed', 'crashed', 'endless'


def run_one(command, chosen):
    """How it ends, and what it says."""
    environment = dict(os.environ, GB_FAULT=str(chosen), GB_FAULT_TABLE=table_hash(), GB_THREADS='1')
    try:
        program, *words = command
        done = subprocess.run([os.path.abspath(program), *words], env=environment, capture_output=True,
                              timeout=SECONDS, errors='replace', cwd=os.path.dirname(program))
    except subprocess.TimeoutExpired:
        return ENDLESS, f'no verdict after {SECONDS} s'
    said = done.stdout + done.stderr
    if done.returncode == OTHER_TABLE:
        sys.exit(said)
    if done.returncode < 0 or 'Test failed with exception' in said:
        return CRASHED, f'{said}\nit ends by a signal'
    return PASSED if done.returncode == 0 else FAILED, said


def command_of(build, test):
    folder, _, subject = subject_of(test).rpartition('/')
    words = test.partition(':')[2]
    return [str(build / 'tests/faults' / folder / f'test_{subject}')] + ([words] if words else [])


def is_noticed(build, fault):
    """Returns how the first test that notices it ends, or None. A failure says more than a crash."""
    ends = []
    for test in fault.tests:
        ends.append(run_one(command_of(build, test), fault.number)[0])
        if ends[-1] == FAILED:
            break
    return FAILED if FAILED in ends else CRASHED if CRASHED in ends else None


def passes_without(build, test):
    ended, said = run_one(command_of(build, test), 0)
    return ended == PASSED and '[       OK ]' in said


def is_caught(build, number):
    ended, said = run_one([str(build / 'tests/faults/kit_faults'), str(number)], 0)
    return ended == PASSED, said


def kit_rows(build):
    """The names of all rows of the kits; "good" before those that a kit must pass."""
    program = str(build / 'tests/faults/kit_faults')
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()


def run(root, build, words=''):
    began, complaints, found = time.time(), [], []
    faults = library(words)
    of_kits = [(i, name) for i, name in enumerate(kit_rows(build), 1) if words in name]
    of_kits_bad = [name for _, name in of_kits if not name.startswith('good ')]
    if not words and len(of_kits_bad) < LEAST_IN_KITS:
        complaints.append(f'the kits have {len(of_kits_bad)} faults, and must have {LEAST_IN_KITS}')
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        tests = sorted({test for f in faults for test in f.tests})
        without = list(pool.map(lambda test: passes_without(build, test), tests))
        caught = list(pool.map(lambda row: is_caught(build, row[0]), of_kits))
        noticed = list(pool.map(lambda f: is_noticed(build, f), faults))
    complaints += [f'without a fault {test} fails, or has no such test'
                   for test, good in zip(tests, without) if not good]
    for f, how in zip(faults, noticed):
        if how == CRASHED:
            print(f'crashes: {f.name}: {f.file}: {f.bad}')
        if not how:
            found.append((f.name, f'{f.file}: {f.bad}'))
    for (_, name), (good, said) in zip(of_kits, caught):
        if not good:
            found.append((name, said.strip()))
    known = survivors()
    for name, details in found:
        print(f'survives{" (known: " + known[name] + ")" if name in known else ""}: {name}: {details}')
    complaints += [f'{name} survives' for name, _ in found if name not in known]
    if not words:
        complaints += [f'{name} does not survive, and stands in survivors.txt' for name in known
                       if name not in dict(found)]
    seconds = time.time() - began
    crashes = noticed.count(CRASHED)
    print(f'{len(faults)} faults of the library ({crashes} noticed by a crash alone) and '
          f'{len(of_kits_bad)} of kits, {len(found)} survivors; '
          f'{len(of_kits) - len(of_kits_bad)} good plug-ins; {seconds:.0f} s')
    if seconds > MOST_SECONDS:
        complaints.append(f'it took {seconds:.0f} s, and may take {MOST_SECONDS}')
    if complaints:
        print('\n'.join(complaints))
    return not complaints


if __name__ == '__main__':
    ways = {'fit': fit, 'compile': compile_them, 'files': files, 'plant': plant, 'run': run}
    does = ways.get(sys.argv[1]) if len(sys.argv) > 2 else None
    if not does:
        sys.exit(__doc__)
    paths = [pathlib.Path(argument).resolve() for argument in sys.argv[2:4]]
    sys.exit(not does(*paths, *sys.argv[4:5]))
