"""The OpenAPI 3.1 document of our REST interface, made from the table."""

import json
from collections.abc import Sequence
from functools import cache
from typing import Any, Literal, get_args, get_origin

import commonplace
from commonplace.faces.rest import codec, problems
from commonplace.faces.rest.operation import ITEMS, Argument, Json, Operation
from commonplace.faces.rest.table import OPERATIONS
from commonplace.ids import ID_MAX
from commonplace.records.memory import Memory, Outcome, Unset
from commonplace.records.query import Cursor

_PREFIX = problems.PREFIX.decode()
_SCALARS: dict[Any, Json] = {
    str: {"type": "string"},
    int: {"type": "integer", "minimum": -ID_MAX, "maximum": ID_MAX},
    float: {"type": "number"},
    bool: {"type": "boolean"},
}
_MOMENT: Json = {
    "type": "string",
    "format": "date-time",
    "examples": ["2026-03-01T09:30:00Z"],
}
_CURSOR: Json = {"type": "string", "description": "Where a page ended."}
_PROBLEM: Json = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "hint"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What happened."},
        "hint": {"type": "string", "description": "What to do."},
    },
}
_ABOUT = (
    "One memory that agents share. Moments are ISO 8601 texts; an id is accepted in every form"
    " in which any dialect prints it. The first write to a bank makes it."
)


_LINES: Json = {"application/x-ndjson": {"schema": {"type": "string"}}}
_FAILURE: Json = {
    "description": "What went wrong, and what to do.",
    "content": {problems.MEDIA_TYPE.decode(): {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
_STREAMS: Json = {
    f"{_PREFIX}/banks/{{bank}}/export": {
        "get": {
            "operationId": "export_bank",
            "tags": ["archive"],
            "summary": "Export a bank, or a part of it, as JSON lines",
            "parameters": [
                {"name": "bank", "in": "path", "required": True, "schema": {"type": "string"}},
                *(
                    {"name": name, "in": "query", "schema": {"type": "string"}}
                    for name in ("user", "project", "document")
                ),
            ],
            "responses": {"200": {"description": "The archive.", "content": _LINES}}
            | {"default": _FAILURE},
        }
    },
    f"{_PREFIX}/export": {
        "get": {
            "operationId": "export",
            "tags": ["archive"],
            "summary": "Export everything as JSON lines",
            "responses": {"200": {"description": "The archive.", "content": _LINES}}
            | {"default": _FAILURE},
        }
    },
    f"{_PREFIX}/import": {
        "post": {
            "operationId": "import_archive",
            "tags": ["archive"],
            "summary": "Import an archive: all of it, or nothing",
            "parameters": [{"name": "dry_run", "in": "query", "schema": {"type": "boolean"}}],
            "requestBody": {"required": True, "content": _LINES},
            "responses": {
                "200": {
                    "description": "The rows that were added, continued and skipped.",
                    "content": {"application/json": {"schema": {"type": "object"}}},
                },
                "default": _FAILURE,
            },
        }
    },
}


@cache
def document() -> Json:
    """The whole document."""
    schemas: dict[str, Any] = {"Problem": _PROBLEM}
    paths: dict[str, Any] = {}
    for operation in OPERATIONS.values():
        methods = paths.setdefault(_PREFIX + operation.path, {})
        methods[operation.method.lower()] = _operation(operation, schemas)
    paths |= _STREAMS
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Commonplace",
            "version": commonplace.__version__,
            "description": _ABOUT,
        },
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "key": {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
            },
        },
        "security": [{}, {"bearer": []}, {"key": []}],
    }


def schema_of(kind: Any, name: str, schemas: dict[str, Any]) -> Json:
    """The JSON Schema of a type. Records are added to `schemas` and referred to."""
    if kind is Cursor:
        return dict(_CURSOR)
    if kind is int and codec.is_moment(name):
        return dict(_MOMENT)
    if kind in _SCALARS:
        return dict(_SCALARS[kind])
    if kind is object or kind is Any:
        return {}
    if codec.is_record(kind):
        return _reference(kind, schemas)
    return _composite(kind, name, schemas)


def _composite(kind: Any, name: str, schemas: dict[str, Any]) -> Json:
    origin, arguments = get_origin(kind), list(get_args(kind))
    if origin is Literal:
        return {"type": "string", "enum": arguments}
    members = codec.union_members(kind)
    if members != (kind,):
        listed = [schema_of(one, name, schemas) for one in members]
        listed += [{"type": "null"}] if codec.allows_null(kind) else []
        return listed[0] if len(listed) == 1 else {"anyOf": listed}
    if origin in (tuple, list, Sequence):
        fixed = len(arguments) > 1 and arguments[-1] is not ...
        size: Json = {"minItems": len(arguments), "maxItems": len(arguments)} if fixed else {}
        return {"type": "array", "items": schema_of(arguments[0], name, schemas)} | size
    return {"type": "object"}


def _reference(kind: Any, schemas: dict[str, Any]) -> Json:
    plain = get_origin(kind) or kind
    name = "".join(one.__name__ for one in (*get_args(kind), plain))
    if name not in schemas:
        schemas[name] = {}  # A record may contain itself.
        known = codec.field_types(kind)
        properties = {one: schema_of(hint, one, schemas) for one, (_, hint) in known.items()}
        required = [one for one, (field, _) in known.items() if codec.is_required(field)]
        if plain in codec.TAGGED:
            properties[codec.TAG] = {"const": plain.__name__}
            required.insert(0, codec.TAG)
        about = " ".join((plain.__doc__ or "").split())
        schemas[name] = {"type": "object", "description": about, "properties": properties}
        schemas[name] |= {"required": required} if required else {}
        schemas[name]["additionalProperties"] = False
    return {"$ref": f"#/components/schemas/{name}"}


def _operation(operation: Operation, schemas: dict[str, Any]) -> Json:
    parameters = [_parameter(one, schemas) for one in operation.arguments if one.location != "body"]
    found: Json = {
        "operationId": operation.name,
        "tags": [operation.group],
        "summary": operation.summary,
        "description": operation.description,
        "parameters": parameters + _headers(operation),
        "responses": {
            "200": {
                "description": "The result.",
                "headers": _response_headers(operation),
                "content": {"application/json": {"schema": _result(operation, schemas)}},
            },
            "default": _FAILURE,
        },
    }
    if body := operation.located("body"):
        required = [one.name for one in body if one.required]
        schema: Json = {
            "type": "object",
            "properties": {one.name: _with_default(one, schemas) for one in body},
            "additionalProperties": False,
        }
        schema |= {"required": required} if required else {}
        found["requestBody"] = {
            "required": bool(required),
            "content": {"application/json": {"schema": schema}},
        }
    return found


def _parameter(one: Argument, schemas: dict[str, Any]) -> Json:
    if one.location == "path":
        schema: Json = {"type": "integer" if one.kind is int else "string", "minLength": 1}
        schema = {"type": "integer"} if one.kind is int else schema
    else:
        schema = _without_null(_with_default(one, schemas))
    return {"name": one.name, "in": one.location, "required": one.required, "schema": schema}


def _without_null(schema: Json) -> Json:
    """A query has no null: a value that is absent is left out."""
    members = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    return members[0] if len(members) == 1 else schema


def _with_default(one: Argument, schemas: dict[str, Any]) -> Json:
    schema = schema_of(one.kind, one.name, schemas)
    default = one.default
    if one.required or default is None or isinstance(default, Unset) or "$ref" in schema:
        return schema
    encoded = codec.encode(default, one.name)
    plain = isinstance(encoded, str | int | float | list)
    return schema | {"default": encoded} if plain and json.dumps(encoded) else schema


def _headers(operation: Operation) -> list[Json]:
    named: list[Json] = []
    if operation.keyed:
        named.append(
            {
                "name": "Idempotency-Key",
                "in": "header",
                "schema": {"type": "string", "maxLength": 200},
                "description": "The same key with the same content does the work once.",
            }
        )
    if operation.name == "revise":
        named.append(
            {
                "name": "If-Match",
                "in": "header",
                "schema": {"type": "string", "pattern": '^("[0-9]{1,15}"|\\*)$'},
                "description": "The ETag of the version to be changed; 412 when it is not newest.",
            }
        )
    return named


def _response_headers(operation: Operation) -> Json:
    if operation.result_type not in (Memory, Outcome):
        return {}
    return {"ETag": {"description": "The version.", "schema": {"type": "string"}}}


def _result(operation: Operation, schemas: dict[str, Any]) -> Json:
    kind = operation.result_type
    if operation.result:
        kinds = get_args(kind) if len(operation.result) > 1 else (kind,)
        pairs = zip(operation.result, kinds, strict=True)
        properties = {name: schema_of(one, name, schemas) for name, one in pairs}
    elif get_origin(kind) is tuple:
        properties = {ITEMS: schema_of(kind, ITEMS, schemas)}
    else:
        return schema_of(kind, "", schemas)
    return {"type": "object", "properties": properties, "required": list(properties)}
