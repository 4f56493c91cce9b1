"""Streams: memories that arrive in chunks. The chunks are stored, so a restart loses none."""

from dataclasses import replace

from commonplace import ids, validation
from commonplace.engine.banks import require_bank
from commonplace.engine.draft_validation import validate_draft
from commonplace.engine.erasure.erasure import erasing_transaction
from commonplace.engine.memories import remember
from commonplace.engine.runtime import Runtime
from commonplace.errors import Invalid, NotFound, TooLarge
from commonplace.limits import (
    COUNT_MAX,
    LIST_MAX,
    STREAM_CHUNKS_MAX,
    STREAM_IDLE_MS_MAX,
    TEXT_BYTES_MAX,
)
from commonplace.records.memory import Draft, Origin, Outcome
from commonplace.records.work import Stream
from commonplace.storage.rows import banks, streams

_NOTE = Draft("")


def start_stream(runtime: Runtime, bank: str, draft: Draft = _NOTE) -> Stream:
    """Start a stream for the memory of a draft; the draft's own text must be empty."""
    if draft.text:
        raise Invalid("A stream starts without text.", hint="Append the text as the first chunk.")
    # With a placeholder text all other fields are validated now instead of at the end.
    checked = replace(validate_draft(replace(draft, text="-")), text="")
    name = validation.name(bank, what="bank")
    with runtime.db.transaction():
        now = runtime.clock.now()
        bank_id = banks.ensure(runtime.db, name, now).id
        _delete_idle(runtime, bank_id, now - STREAM_IDLE_MS_MAX)
        number = banks.new_ids(runtime.db, now)[0]
        stream = Stream(
            number,
            bank_id,
            chunk_count=0,
            text_bytes=0,
            text_chars=0,
            started_at=now,
            touched_at=now,
        )
        streams.add(runtime.db, stream, checked)
    return stream


def append_chunk(runtime: Runtime, bank: str, stream_id: int | str, text: str) -> Stream:
    """Append a chunk. Chunks may be blank; they are neither trimmed nor separated."""
    chunk = validation.any_text(text, what="chunk")
    with runtime.db.transaction():
        stream = _require_stream(runtime, bank, stream_id)
        grown = replace(
            stream,
            chunk_count=stream.chunk_count + 1,
            text_bytes=stream.text_bytes + len(chunk.encode()),
            text_chars=stream.text_chars + len(chunk),
            touched_at=max(stream.touched_at, runtime.clock.now()),
        )
        if grown.chunk_count > STREAM_CHUNKS_MAX or grown.text_bytes > TEXT_BYTES_MAX:
            raise TooLarge(
                f"The stream would have {grown.chunk_count:,} chunks and {grown.text_bytes:,}"
                f" bytes; the limits are {STREAM_CHUNKS_MAX:,} and {TEXT_BYTES_MAX:,}.",
                hint="Finalize this stream and continue in a new one.",
            )
        streams.append(runtime.db, grown, chunk)
    return grown


def get_stream(runtime: Runtime, bank: str, stream_id: int | str) -> Stream:
    """One stream."""
    return _require_stream(runtime, bank, stream_id)


def finalize_stream(
    runtime: Runtime, bank: str, stream_id: int | str, origin: Origin = Origin()
) -> tuple[Outcome, Stream]:
    """Store a stream as a memory. Returns the outcome and the stream. A blank stream is refused and
    stays open.
    """
    with runtime.db.transaction():
        stream = _require_stream(runtime, bank, stream_id)
        text = streams.read_text(runtime.db, stream)
        if not text.strip():
            raise Invalid(
                f"Stream {stream_id} is empty.",
                hint="Append a chunk with text, or cancel the stream.",
            )
        outcome = remember(
            runtime, bank, replace(streams.read_draft(runtime.db, stream.id), text=text), origin
        )
        streams.delete(runtime.db, stream.id)
    return outcome, stream


def close_stream(
    runtime: Runtime, bank: str, stream_id: int | str, origin: Origin = Origin()
) -> tuple[Outcome | None, Stream]:
    """Store a stream as a memory, or drop it if it is blank. Returns the outcome or None, and the
    stream.
    """
    with runtime.db.transaction():
        stream = _require_stream(runtime, bank, stream_id)
        if streams.read_text(runtime.db, stream).strip():
            return finalize_stream(runtime, bank, stream_id, origin)
        streams.delete(runtime.db, stream.id)
    return None, stream


def cancel_stream(runtime: Runtime, bank: str, stream_id: int | str) -> Stream:
    """Delete a stream with its chunks and return it."""
    with erasing_transaction(runtime):
        stream = _require_stream(runtime, bank, stream_id)
        streams.delete(runtime.db, stream.id)
    return stream


def expire_streams(runtime: Runtime, bank: str, *, idle_ms: int = STREAM_IDLE_MS_MAX) -> int:
    """Delete streams that are idle for that long. Returns how many."""
    validation.count(idle_ms, what="idle time", most=COUNT_MAX)
    with runtime.db.transaction():
        found = banks.find(runtime.db, validation.name(bank, what="bank"))
        return _delete_idle(runtime, found.id, runtime.clock.now() - idle_ms) if found else 0


def _delete_idle(runtime: Runtime, bank_id: int, idle_since: int) -> int:
    idle = streams.idle_streams(runtime.db, bank_id, idle_since=idle_since, limit=LIST_MAX)
    for stream in idle:
        streams.delete(runtime.db, stream.id)
    return len(idle)


def _require_stream(runtime: Runtime, bank: str, stream_id: int | str) -> Stream:
    idle_since = runtime.clock.now() - STREAM_IDLE_MS_MAX
    found = streams.find(
        runtime.db, require_bank(runtime, bank).id, ids.parse(stream_id), idle_since=idle_since
    )
    if found is None:
        raise NotFound(
            f"There is no stream {stream_id}.",
            hint="It was finalized, cancelled or left idle for a day; start a new one.",
        )
    return found
