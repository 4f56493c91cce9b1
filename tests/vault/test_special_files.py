"""Reading a folder never blocks on a pipe or another special file."""

import os
import socket
import threading
from pathlib import Path

import pytest

from commonplace.errors import Invalid
from commonplace.vault.folder import folder


def read(root: Path, name: str) -> list[str]:
    """What reading says, from a thread, so that a test that would wait for ever fails instead."""
    found: list[str] = []

    def work() -> None:
        try:
            found.append(folder.read_bytes(root, name).decode())
        except Invalid as error:
            found.append(error.message)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive()
    return found


@pytest.mark.skipif(
    os.name != "posix", reason="Windows has no pipes, sockets and links among its files."
)
def test_a_pipe_a_socket_a_device_or_a_link_in_the_place_of_a_note_blocks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    monkeypatch.chdir(tmp_path)  # The path of a socket must be short.
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.md")
        (tmp_path / "secret.txt").write_text("secret")
        (tmp_path / "link.md").symlink_to(tmp_path / "secret.txt")
        (tmp_path / "plain.md").write_text("plain")
        assert read(tmp_path, "pipe.md") == ["It is not a regular file."]
        assert "cannot be used" in read(tmp_path, "link.md")[0]
        assert read(tmp_path, "plain.md") == ["plain"]
        with pytest.raises(Exception, match="cannot be used"):
            folder.read_bytes(tmp_path, "socket.md")
        assert read(Path("/dev"), "null") == ["It is not a regular file."]
