"""Rows of streams and their chunks."""

import json
from dataclasses import asdict

from commonplace.records.memory import Draft, Scope
from commonplace.records.work import Stream
from commonplace.storage.database import Database, Row


def find(db: Database, bank_id: int, number: int, *, idle_since: int) -> Stream | None:
    """The stream of an id, unless it has not changed since a moment."""
    row = db.one("find_stream", bank_id=bank_id, id=number, idle_since=idle_since)
    return Stream(**row) if row else None


def read_draft(db: Database, number: int) -> Draft:
    """The draft of a stream, without its text."""
    fields: Row = json.loads(db.value("stream_draft", id=number))
    fields.update(
        tags=tuple(fields["tags"]), paths=tuple(fields["paths"]), scope=Scope(**fields["scope"])
    )
    return Draft(**fields)


def add(db: Database, stream: Stream, draft: Draft) -> None:
    """Store a new stream."""
    fields = json.dumps(asdict(draft), ensure_ascii=False)
    db.run("add_stream", id=stream.id, bank_id=stream.bank_id, draft=fields, now=stream.started_at)


def append(db: Database, stream: Stream, text: str) -> None:
    """Store a stream's newest chunk, and the new counts of the stream."""
    db.run("add_chunk", stream_id=stream.id, number=stream.chunk_count, text=text)
    db.run(
        "grow_stream",
        id=stream.id,
        chunk_count=stream.chunk_count,
        text_bytes=stream.text_bytes,
        text_chars=stream.text_chars,
        touched_at=stream.touched_at,
    )


def read_text(db: Database, stream: Stream) -> str:
    """The chunks of a stream, joined."""
    return "".join(
        row["text"] for row in db.all("list_chunks", stream_id=stream.id, limit=stream.chunk_count)
    )


def delete(db: Database, number: int) -> None:
    """Delete a stream and its chunks."""
    db.run("delete_chunks", id=number)
    db.run("delete_stream", id=number)


def idle_streams(db: Database, bank_id: int, *, idle_since: int, limit: int) -> list[Stream]:
    """The streams of a bank that have not changed since a moment."""
    rows = db.all("idle_streams", bank_id=bank_id, idle_since=idle_since, limit=limit)
    return [Stream(**row) for row in rows]
