"""Files as other products write them, made here so that no test needs the products.

Tables and fields are those seen in files of memories.sh 0.7.9, PowerMem 1.1.7, mem0 2.2.1,
server-memory 2026.8.31 and in the export code of Hindsight 1.1.0; the exports of ChatGPT and Claude
are as basic-memory 0.24.1 reads them.
"""

import json
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

RULE = {
    "id": "tMqt2KwffoRX",
    "content": "Use pnpm, never npm",
    "type": "rule",
    "tags": "tools,js",
} | {
    "paths": "src/**/*.ts,*.js",
    "category": "pkg",
}


def memories_sh(path: Path, *rows: dict[str, Any], wal: bool = False) -> sqlite3.Connection:
    """A local.db of memories.sh, still open."""
    connection = sqlite3.connect(path)
    if wal:
        connection.execute("pragma journal_mode = wal")
    connection.execute("""create table if not exists memories (
          id TEXT PRIMARY KEY, content TEXT NOT NULL, tags TEXT,
          scope TEXT NOT NULL DEFAULT 'global', project_id TEXT,
          type TEXT NOT NULL DEFAULT 'note', paths TEXT, category TEXT, metadata TEXT,
          created_at TEXT NOT NULL DEFAULT (datetime('now')),
          updated_at TEXT NOT NULL DEFAULT (datetime('now')),
          deleted_at TEXT, embedding BLOB)""")
    for row in rows:
        whole = {"created_at": "2026-03-01 10:00:00", "updated_at": "2026-03-02 10:00:00"} | row
        names = ", ".join(whole)
        connection.execute(
            f"insert or replace into memories ({names}) values ({', '.join('?' * len(whole))})",
            list(whole.values()),
        )
    connection.commit()
    return connection


def powermem(path: Path, *payloads: dict[str, Any] | str, table: str = "memories") -> None:
    """A SQLite file of PowerMem."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"""create table if not exists "{table}" (
              id INTEGER PRIMARY KEY, vector TEXT, payload TEXT, fulltext_content TEXT DEFAULT '',
              created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP)""")
        for number, payload in enumerate(payloads, start=777166475130568704):
            text = json.dumps(payload) if isinstance(payload, dict) else payload
            values = (number, json.dumps([0.1, 0.2]), text, "2026-11-15 13:42:06")
            connection.execute(
                f'insert or replace into "{table}" (id, vector, payload, created_at) values (?, ?,'
                " ?, ?)",
                values,
            )


def powermem_payload(text: str, **more: Any) -> dict[str, Any]:
    """What PowerMem keeps of a memory, with the bookkeeping that it adds to the metadata."""
    counted = {
        "importance_score": 0.15,
        "memory_type": "working",
        "access_count": 0,
        "processing_applied": True,
    } | {
        "intelligence": {"decay_rate": 1.5, "current_retention": 0.3},
        "memory_management": {"should_forget": False},
    }
    return {
        "data": text,
        "user_id": None,
        "agent_id": None,
        "run_id": None,
        "actor_id": "",
        "hash": "d26825cb146e01f99fe43e3d5e67277f",
        "created_at": "2026-08-01T13:42:06.726014+00:00",
        "updated_at": "2026-08-02T13:42:06.726016+00:00",
        "category": "",
        "fulltext_content": text,
    } | (more | {"metadata": counted | more.get("metadata", {})})


def mem0_history(path: Path, *events: tuple[Any, ...]) -> None:
    """The history.db of mem0: memory id, old text, new text, event, created, updated, deleted."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            """create table history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT,
              new_memory TEXT, event TEXT, created_at DATETIME, updated_at DATETIME,
              is_deleted INTEGER, actor_id TEXT, role TEXT)"""
        )
        for number, event in enumerate(events):
            connection.execute(
                "insert into history values (?, ?, ?, ?, ?, ?, ?, ?, null, null)",
                (f"e{number}", *event),
            )


def chatgpt(number: str, title: str, *turns: tuple[str, str], **more: Any) -> dict[str, Any]:
    """A conversation of ChatGPT with the messages one below the other."""
    mapping: dict[str, Any] = {
        "root": {"id": "root", "message": None, "parent": None, "children": ["t1"]}
    }
    parent = "root"
    for place, (role, text) in enumerate(turns, start=1):
        name = f"t{place}"
        mapping[name] = {"id": name, "parent": parent, "children": []} | {
            "message": chatgpt_message(name, role, text)
        }
        parent = name
    return {
        "title": title,
        "create_time": 1_700_000_000.5,
        "update_time": 1_700_000_900.0,
        "mapping": mapping,
        "current_node": parent,
        "conversation_id": number,
        "id": number,
    } | more


def chatgpt_message(name: str, role: str, text: str, **more: Any) -> dict[str, Any]:
    return {
        "id": f"message-{name}",
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": 1_700_000_100.0,
        "content": {"content_type": "text", "parts": [text]},
        "status": "finished_successfully",
        "metadata": {"model_slug": "gpt-4o"} if role == "assistant" else {},
        "recipient": "all",
    } | more


def claude(number: str, title: str, *turns: tuple[str, str]) -> dict[str, Any]:
    """A conversation of Claude."""
    at = "2026-02-03T04:05:06.789012Z"
    return {
        "uuid": number,
        "name": title,
        "created_at": at,
        "updated_at": at,
        "account": {"uuid": "account"},
        "chat_messages": [
            {
                "uuid": f"message-{place}",
                "text": text,
                "content": [{"type": "text", "text": text, "citations": []}],
                "sender": sender,
                "created_at": at,
                "updated_at": at,
                "attachments": [],
                "files": [],
            }
            for place, (sender, text) in enumerate(turns, start=1)
        ],
    }


def hindsight(path: Path, *documents: dict[str, Any], **sections: Any) -> None:
    """The zip of a bank of Hindsight."""
    manifest = {
        "schema_version": 1,
        "source_bank_id": "work",
        "archive_type": "bank",
        "document_count": len(documents),
    }
    with zipfile.ZipFile(path, "w") as archive:
        for number, document in enumerate(documents):
            archive.writestr(f"documents/{number:06d}.json", json.dumps(document))
        for name, rows in sections.items():
            archive.writestr(f"{name.replace('__', '/')}.json", json.dumps(rows))
        archive.writestr("manifest.json", json.dumps(manifest))


def zipped(path: Path, **members: Any) -> Path:
    """A zip with JSON files in it."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, value in members.items():
            archive.writestr(f"{name}.json", json.dumps(value))
    return path


def written(path: Path, value: object) -> Path:
    """A file with a text or a JSON value in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), encoding="utf-8"
    )
    return path
