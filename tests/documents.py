"""JSON documents as programs print them, held against their schemas in docs/schemas."""

import json
import pathlib
import unittest

try:
    import jsonschema
except ImportError:
    jsonschema = None

SCHEMAS = pathlib.Path(__file__).resolve().parent.parent / "docs" / "schemas"
needs_jsonschema = unittest.skipIf(jsonschema is None, "Python's jsonschema is not installed (Debian: python3-jsonschema)")


def validate(document):
    """A document, or a line of events. Raises jsonschema.ValidationError; does nothing where that is not installed."""
    if jsonschema is None:
        return
    name = "event" if "event" in document else document["format"].removeprefix("gpuminer ")
    jsonschema.validate(document, json.loads((SCHEMAS / f"{'pool' if name == 'solo' else name}.schema.json").read_text()))


def not_json(name):
    raise ValueError(f"{name} is not JSON")


def document_of(text):
    """The document that a program has printed. ValueError: it is none."""
    document = json.loads(text, parse_constant=not_json)  # Infinity and NaN are none
    validate(document)
    return document
