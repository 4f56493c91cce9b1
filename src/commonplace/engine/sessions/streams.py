"""Streams: memories that arrive in chunks. They live in the store, so a restart does not lose what
has come so far.
"""

from dataclasses import replace

from commonplace import ids, validation
from commonplace.engine.banks import known
from commonplace.engine.draft_validation import checked_draft
from commonplace.engine.erasure import for_good
from commonplace.engine.memories import remember
from commonplace.engine.runtime import Parts
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
from commonplace.storage import banks, streams

_NOTE = Draft("")


def start_stream(parts: Parts, bank: str, draft: Draft = _NOTE) -> Stream:
    """A new stream for the memory a draft describes; the draft's own text must be empty."""
    if draft.text:
        raise Invalid("A stream starts without text.", hint="Append the text as the first chunk.")
    # A stand-in for the text lets everything else be refused now instead of at the end.
    checked = replace(checked_draft(replace(draft, text="-")), text="")
    name = validation.name(bank, what="bank")
    with parts.db.transaction():
        now = parts.clock.now()
        bank_id = banks.ensure(parts.db, name, now).id
        _expire(parts, bank_id, now - STREAM_IDLE_MS_MAX)
        number = banks.new_ids(parts.db, now)[0]
        stream = Stream(
            number,
            bank_id,
            chunk_count=0,
            text_bytes=0,
            text_chars=0,
            started_at=now,
            touched_at=now,
        )
        streams.add(parts.db, stream, checked)
    return stream


def append_chunk(parts: Parts, bank: str, stream_id: int | str, text: str) -> Stream:
    """A stream after one more chunk. Chunks may be blank; nothing is trimmed or put between
    them.
    """
    chunk = validation.passage(text, what="chunk")
    with parts.db.transaction():
        stream = _found(parts, bank, stream_id)
        grown = replace(
            stream,
            chunk_count=stream.chunk_count + 1,
            text_bytes=stream.text_bytes + len(chunk.encode()),
            text_chars=stream.text_chars + len(chunk),
            touched_at=max(stream.touched_at, parts.clock.now()),
        )
        if grown.chunk_count > STREAM_CHUNKS_MAX or grown.text_bytes > TEXT_BYTES_MAX:
            raise TooLarge(
                f"The stream would have {grown.chunk_count:,} chunks and {grown.text_bytes:,}"
                f" bytes; the limits are {STREAM_CHUNKS_MAX:,} and {TEXT_BYTES_MAX:,}.",
                hint="Finalize this stream and continue in a new one.",
            )
        streams.append(parts.db, grown, chunk)
    return grown


def get_stream(parts: Parts, bank: str, stream_id: int | str) -> Stream:
    """One stream."""
    return _found(parts, bank, stream_id)


def finalize_stream(
    parts: Parts, bank: str, stream_id: int | str, origin: Origin = Origin()
) -> tuple[Outcome, Stream]:
    """The memory a stream became, and the stream it was. A blank stream is refused and stays
    open.
    """
    with parts.db.transaction():
        stream = _found(parts, bank, stream_id)
        text = streams.text(parts.db, stream)
        if not text.strip():
            raise Invalid(
                f"Stream {stream_id} is empty.",
                hint="Append a chunk with text, or cancel the stream.",
            )
        outcome = remember(
            parts, bank, replace(streams.draft(parts.db, stream.id), text=text), origin
        )
        streams.delete(parts.db, stream.id)
    return outcome, stream


def close_stream(
    parts: Parts, bank: str, stream_id: int | str, origin: Origin = Origin()
) -> tuple[Outcome | None, Stream]:
    """The memory a stream became, or None when it was blank, and the stream it was; it is gone
    either way.
    """
    with parts.db.transaction():
        stream = _found(parts, bank, stream_id)
        if streams.text(parts.db, stream).strip():
            return finalize_stream(parts, bank, stream_id, origin)
        streams.delete(parts.db, stream.id)
    return None, stream


def cancel_stream(parts: Parts, bank: str, stream_id: int | str) -> Stream:
    """The stream as it was before it was thrown away with its chunks."""
    with for_good(parts):
        stream = _found(parts, bank, stream_id)
        streams.delete(parts.db, stream.id)
    return stream


def expire_streams(parts: Parts, bank: str, *, idle_ms: int = STREAM_IDLE_MS_MAX) -> int:
    """How many streams were thrown away because nobody had touched them for so long."""
    validation.count(idle_ms, what="idle time", most=COUNT_MAX)
    with parts.db.transaction():
        found = banks.find(parts.db, validation.name(bank, what="bank"))
        return _expire(parts, found.id, parts.clock.now() - idle_ms) if found else 0


def _expire(parts: Parts, bank_id: int, idle_since: int) -> int:
    idle = streams.idle(parts.db, bank_id, idle_since=idle_since, limit=LIST_MAX)
    for stream in idle:
        streams.delete(parts.db, stream.id)
    return len(idle)


def _found(parts: Parts, bank: str, stream_id: int | str) -> Stream:
    idle_since = parts.clock.now() - STREAM_IDLE_MS_MAX
    found = streams.find(
        parts.db, known(parts, bank).id, ids.parse(stream_id), idle_since=idle_since
    )
    if found is None:
        raise NotFound(
            f"There is no stream {stream_id}.",
            hint="It was finalized, cancelled or left idle for a day; start a new one.",
        )
    return found
