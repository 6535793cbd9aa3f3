# SPDX-License-Identifier: GPL-3.0-or-later
"""A validator of JSON Schema 2020-12 for the keywords that docs/schemas has. It is stricter in one way: an
object with `properties` has no others, unless the schema says what they are. So all keys are described."""
import json
import pathlib
import re

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
KNOWN = {"$schema", "$id", "$ref", "$defs", "title", "description", "type", "properties", "required", "items",
         "additionalProperties", "patternProperties", "dependentRequired", "enum", "const", "minimum",
         "pattern", "minItems", "maxItems"}


def is_type(value, name):
    """Whether a value is of a type of JSON Schema: truths are no numbers, 1.0 is an integer."""
    if name in ("number", "integer"):
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return is_number and (name == "number" or value == int(value))
    return isinstance(value, TYPES[name])


class Schemas:
    """The schemas of a folder, by name."""

    def __init__(self, folder):
        files = pathlib.Path(folder).glob("*.json")
        self.all = {p.stem: json.loads(p.read_text(encoding="utf-8")) for p in files}

    def follow(self, reference, root):
        """The schema that a $ref names, and the document that it is in."""
        file, _, path = reference.partition("#")
        root = self.all[file.removesuffix(".json")] if file else root
        found = root
        for step in path.split("/")[1:]:
            found = found[step]
        return found, root

    def faults(self, value, schema, root, at):
        """Yields what is wrong with a value, with its place."""
        unknown = set(schema) - KNOWN
        if unknown:
            yield f"{at}: the schema has {unknown}, which this validator does not know"
        if "$ref" in schema:
            yield from self.faults(value, *self.follow(schema["$ref"], root), at)
        types = schema.get("type", [])
        types = [types] if isinstance(types, str) else types
        if types and not any(is_type(value, one) for one in types):
            yield f"{at}: {str(value)[:60]} is not of type {' or '.join(types)}"
            return
        if "const" in schema and value != schema["const"] or value not in schema.get("enum", [value]):
            yield f"{at}: {str(value)[:60]} is not {schema.get('const', schema.get('enum'))}"
        if is_type(value, "number") and value < schema.get("minimum", value):
            yield f"{at}: {value} is below {schema['minimum']}"
        if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
            yield f"{at}: {value[:60]} is not {schema['pattern']}"
        if isinstance(value, dict):
            yield from self.faults_of_object(value, schema, root, at)
        if isinstance(value, list):
            if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
                yield f"{at}: {len(value)} elements"
            for i, one in enumerate(value):
                yield from self.faults(one, schema.get("items", {}), root, f"{at}[{i}]")

    def faults_of_object(self, value, schema, root, at):
        """The part for objects."""
        due = list(schema.get("required", []))
        for key, names in schema.get("dependentRequired", {}).items():
            due += names if key in value else []
        yield from (f"{at}: there is no {key}" for key in due if key not in value)
        for key, one in value.items():
            fits = [s for k, s in schema.get("properties", {}).items() if k == key]
            fits += [s for k, s in schema.get("patternProperties", {}).items() if re.search(k, key)]
            if not fits and "additionalProperties" in schema:
                fits = [schema["additionalProperties"]]
            if not fits and "properties" in schema:
                yield f"{at}: {key} is not in the schema"
            for s in fits:
                yield from self.faults(one, s, root, f"{at}.{key}")

    def faults_of(self, document, name=None):
        """What is wrong with a document, by the schema that it names itself."""
        name = name or (document.get("schema") if isinstance(document, dict) else None)
        if name not in self.all:
            return [f"there is no schema {name}"]
        return list(self.faults(document, self.all[name], self.all[name], name))
