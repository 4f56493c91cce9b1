"""Hindsight's REST interface, as its clients of version 1.1 use it."""

from dataclasses import replace

from commonplace.errors import CommonplaceError
from commonplace.faces.rest.products.hindsight import banks, memories, reflection
from commonplace.faces.rest.products.product import Json, Product, Route

_TENANT = "/v1/default/"
_NO_FILES = "Files are not converted here; retain their texts."
_NO_TRANSFER = "Banks are moved with GET /api/v1/banks/BANK/export and POST /api/v1/import."
_NO_TRACES = "Requests to a language model are not logged."
_NO_GRAPH = "There is no graph of memories or entities."

LEFT_OUT = {
    "/files/": _NO_FILES,
    "/attachments": _NO_FILES,
    "/transfer": _NO_TRANSFER,
    "/document-transfer": _NO_TRANSFER,
    "/clone": _NO_TRANSFER,
    "/export": _NO_TRANSFER,
    "/import": _NO_TRANSFER,
    "/bank-template-schema": _NO_TRANSFER,
    "/audit-logs": "Calls are not logged; every change is a version of a memory.",
    "/llm-requests": _NO_TRACES,
    "/health/llm": _NO_TRACES,
    "/prompts": _NO_TRACES,
    "/graph": _NO_GRAPH,
    "/webhooks": "There are no webhooks.",
    "/aliases": "A bank has one name.",
    "/consolidat": "Observations are made by themselves, when facts are stored.",
    "/observations": "Observations follow their facts.",
    "/dry-run": "Nothing is extracted or refreshed for trial.",
    "/reprocess": "Documents are not processed again; retain them again.",
    "/chunks": "The chunks of a document are returned by recall only.",
    "/documents/": "A document is changed by retaining it again.",
    "/regenerate": "Observations are made by themselves.",
    "/background": "The mission of a bank is changed with PATCH.",
    "/memories-timeseries": "There are no time series.",
    "/delete": "Finished operations are deleted by themselves.",
}


def failure(error: CommonplaceError) -> tuple[int, Json]:
    """An error as the original's web framework writes it."""
    return error.status, {"detail": f"{error.message} {error.hint}".strip()}


def _with_and_without_tenant(route: Route) -> tuple[Route, ...]:
    if not route.path.startswith(_TENANT):
        return (route,)
    return route, replace(route, path="/v1/" + route.path.removeprefix(_TENANT))


PRODUCT = Product(
    "hindsight",
    tuple(
        found
        for route in (*memories.ROUTES, *banks.ROUTES, *reflection.ROUTES)
        for found in _with_and_without_tenant(route)
    ),
    failure,
    LEFT_OUT,
)
