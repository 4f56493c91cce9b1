"""Forgetting and erasing: memories, the words of documents and sessions, and receipts."""

from typing import TYPE_CHECKING

from commonplace import lazy

if TYPE_CHECKING:
    from commonplace.engine.erasure import (
        deletion as deletion,
        document_redaction as document_redaction,
        erasure as erasure,
        ledger as ledger,
        scoped_erasure as scoped_erasure,
        session_redaction as session_redaction,
    )

__getattr__ = lazy.submodules(__name__)
