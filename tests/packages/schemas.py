#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real JSON documents fit the published schemas: schemas.py ROOT COMMAND DOCUMENTS FOLDER

COMMAND is grebe, DOCUMENTS a program that writes those of the library. Every schema is in use; a document
with a key more, a key less or another type does not fit. Where Python's jsonschema is installed it is asked
too."""
import copy
import json
import pathlib
import re
import subprocess
import sys

from schema import Schemas

root, command, documents, folder = pathlib.Path(sys.argv[1]), *sys.argv[2:4], pathlib.Path(sys.argv[4])
schemas = Schemas(root / "docs" / "schemas")
folder.mkdir(parents=True, exist_ok=True)
failures, used = [], set()

COMMANDS = """
compare gauss-square --estimators pathwise,score,arm --draws 50 --json -
compare bernoulli-3 --estimators score --draws 50 --at fitted --steps 20 --equal-cost --dtype f32 --json -
compare gauss-evidence --estimators pathwise,dreg --bound iwae:draws=3 --draws 50 --json -
compare logistic --estimators pathwise --data DATA --target y --draws 50 --batch 2 --json -
compare gauss-square --estimators pathwise,arm --draws 50 --sweep k=0:1:3 --json -
compare gauss-exp --estimators pathwise --draws 50 --at path --steps 20 --json -
compare bernoulli-3 --estimators score,pathwise --train 10 --seeds 2 --draws 50 --json -
compare gauss-square --estimators arm --train 10 --json -
fit linear --data curve --target y --json -
fit network_class --data moons --target class --hidden 4,4 --steps 50 --batch 20 --validate 0.2 --json -
fit mixture --data moons --json -
fit local_level --data curve --target y --method nuts --json -
doctor --json
"""


def expect_fit(document, what):
    used.add(document.get("schema"))
    failures.extend(f"{what}: {words}" for words in schemas.faults_of(document)[:5])


def output(words):
    done = subprocess.run([command, *words], capture_output=True, text=True, check=False, cwd=folder)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        failures.append(f"{' '.join(words)}: {done.stderr}")
        return {}


def spoilt(document):
    """Copies with one fault each."""
    for key in document:
        other = {k: v for k, v in document.items() if k != key}
        if key in schemas.all[document["schema"]]["required"]:
            yield f"without {key}", other
        yield f"with another {key}", {**document, key: {"other": [0]}}
    yield "with a key more", {**document, "more": [0]}
    for key in (k for k, v in document.items() if isinstance(v, list) and v and isinstance(v[0], dict)):
        other = copy.deepcopy(document)
        other[key][0]["more"] = [0]
        yield f"with a key more in {key}", other
        other = copy.deepcopy(document)
        del other[key][0][next(iter(other[key][0]))]
        yield f"with a key less in {key}", other


def ask_jsonschema(found):
    """The same question to Python's jsonschema, of a version that knows registries."""
    try:
        import jsonschema
        import referencing
    except ImportError:
        return "; jsonschema is not installed"
    registry = referencing.Registry().with_resources(
        (f"{name}.json", referencing.Resource.from_contents(s)) for name, s in schemas.all.items())
    for name, s in schemas.all.items():
        jsonschema.Draft202012Validator.check_schema(s)
    for what, document in found:
        check = jsonschema.Draft202012Validator(schemas.all[document["schema"]], registry=registry)
        failures.extend(f"jsonschema: {what}: {e.message[:200]}" for e in check.iter_errors(document))
    return "; jsonschema agrees"


(folder / "data.csv").write_text("a,b,y\n1,2,0\n2,1,1\n0,1,1\n3,2,0\n", encoding="utf-8")
lines = [line.replace("DATA", "data.csv").split() for line in COMMANDS.strip().splitlines()]
kinds = subprocess.run([command, "help", "list"], capture_output=True, text=True, check=True).stdout
lines += [["list", kind, "--json"] for kind in re.search(r"KIND is one of (.*)\.", kinds).group(1).split()]
all_found = [(" ".join(line), output(line)) for line in lines]
subprocess.run([documents, folder], check=True)
for file in sorted(folder.glob("*.json")):
    all_found.append((file.name, json.loads(file.read_text(encoding="utf-8"))))
for what_it_is, one in all_found:
    expect_fit(one, what_it_is)

noticed = 0
for schema_name in sorted(schemas.all):
    example = next((d for _, d in all_found if d.get("schema") == schema_name), None)
    if not example:
        failures.append(f"no document has the schema {schema_name}")
        continue
    for fault, other_one in spoilt(example):
        noticed += 1
        if not schemas.faults_of(other_one, schema_name):
            failures.append(f"{schema_name}: a document {fault} fits")

# Each document that the sources begin has a schema.
sources = [p for room in root.iterdir() if room.is_dir() and room.name not in ("build", ".git", "tests")
           for p in room.rglob("*.c")]
begun = {name for p in sources for name in re.findall(r'"(grebe-[a-z]+-\d+)"', p.read_text(encoding="utf-8"))}
if begun != set(schemas.all):
    failures.append(f"sources and docs/schemas differ: {begun ^ set(schemas.all)}")
beside = ask_jsonschema(all_found)
print("\n".join(failures) or f"{len(all_found)} documents fit {len(schemas.all)} schemas, "
      f"{noticed} spoilt ones do not{beside}")
sys.exit(bool(failures))
