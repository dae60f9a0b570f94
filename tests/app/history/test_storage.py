"""The file: killed programs, second windows, full disks and damaged pages lose nothing."""

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sqlite_utils import Database

from app.history import DamagedHistoryError, History, HistoryError, move_aside
from app.history.migrations import MIGRATIONS, conversations_and_messages
from engine import GenerationSettings

ROOT = Path(__file__).parents[3]

STREAM_FOR_EVER = """
import sys
from pathlib import Path
from app.history import History
from engine import GenerationSettings
history = History.open(Path(sys.argv[1]))
conversation = history.create_conversation()
question, reply = history.ask(conversation.id, "问", GenerationSettings(), "m", "h")
text = ""
while True:
    text += "字" * 50
    history.save_partial(reply.id, text, list(range(len(text))))
    print(len(text), flush=True)
"""


def start_streaming(path: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", STREAM_FOR_EVER, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


def open_and_read(path: Path, conversation_id: int) -> None:
    History.open(path).thread(conversation_id)


@pytest.mark.slow
@pytest.mark.parametrize("milliseconds", [0, 3, 10, 20, 35, 50, 80, 120, 170, 250])
def test_a_program_killed_while_it_streams_loses_nothing_that_was_saved(path: Path, milliseconds: int) -> None:
    program = start_streaming(path)
    assert program.stdout is not None
    program.stdout.readline()
    time.sleep(milliseconds / 1000)
    program.send_signal(signal.SIGKILL)
    saved = [int(line) for line in program.stdout.read().split()]
    program.wait()

    history = History.open(path)
    (conversation,) = history.conversations()
    question, reply = history.thread(conversation.id)
    history.close()

    assert (question.text, reply.state) == ("问", "interrupted")
    assert len(reply.text) >= max(saved, default=50)
    assert reply.text == "字" * len(reply.text)
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_second_window_on_the_same_history_is_refused_with_a_sentence(path: Path) -> None:
    program = start_streaming(path)
    assert program.stdout is not None
    program.stdout.readline()

    with pytest.raises(HistoryError, match="already open"):
        History.open(path)

    program.kill()
    program.communicate()


def test_a_history_of_a_newer_program_is_refused_untouched(path: Path) -> None:
    History.open(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    before = path.read_bytes()

    with pytest.raises(HistoryError, match="newer Sixpane"):
        History.open(path)

    assert path.read_bytes() == before


def test_an_older_history_is_backed_up_and_brought_up_to_date(path: Path) -> None:
    database = Database(path)
    conversations_and_messages(database)
    database["conversations"].insert({"id": 1, "title": "旧的", "titled_by_hand": 0, "created": 1.0, "updated": 1.0})
    database.execute("PRAGMA user_version = 1")
    database.close()

    history = History.open(path)

    assert [conversation.title for conversation in history.conversations()] == ["旧的"]
    (backup,) = path.parent.glob("*.backup.sqlite3")
    with sqlite3.connect(backup) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert connection.execute("SELECT title FROM conversations").fetchall() == [("旧的",)]
    history.close()


@pytest.mark.parametrize("content", [b"this is no database" * 100, b"SQLite format 3\0" + b"\xff" * 4096])
def test_a_file_that_is_no_database_is_left_as_it_is_and_can_be_moved_aside(path: Path, content: bytes) -> None:
    path.write_bytes(content)

    with pytest.raises(DamagedHistoryError):
        History.open(path)
    assert path.read_bytes() == content

    aside = move_aside(path)
    assert aside.read_bytes() == content
    History.open(path).close()


def test_a_damaged_page_gives_a_sentence(path: Path) -> None:
    history = History.open(path)
    conversation = history.create_conversation()
    for _ in range(50):
        history.ask(conversation.id, "text " * 200, GenerationSettings(), "m", "h")
    history.close()
    content = bytearray(path.read_bytes())
    content[4096 * 4 :] = os.urandom(len(content) - 4096 * 4)
    path.write_bytes(content)

    with pytest.raises(DamagedHistoryError):
        open_and_read(path, conversation.id)


def test_a_full_disk_gives_a_sentence_and_keeps_what_was_there(path: Path) -> None:
    history = History.open(path)
    conversation = history.create_conversation("kept")
    pages = history._database.execute("PRAGMA page_count").fetchone()[0]
    history._database.execute(f"PRAGMA max_page_count = {pages + 2}")

    with pytest.raises(HistoryError, match="disk is full"):
        history.ask(conversation.id, "long " * 10_000, GenerationSettings(), "m", "h")

    assert history.thread(conversation.id) == []
    history.rename(conversation.id, "still kept")
    assert history.conversations()[0].title == "still kept"
    history.close()


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights on folders")
def test_a_folder_that_cannot_be_written_gives_a_sentence(tmp_path: Path) -> None:
    file_in_the_way = tmp_path / "file"
    file_in_the_way.write_text("")

    with pytest.raises(HistoryError, match="cannot be"):
        History.open(file_in_the_way / "history.sqlite3")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="an administrator may write anywhere")
def test_a_read_only_file_gives_a_sentence(path: Path) -> None:
    History.open(path).close()
    path.chmod(stat.S_IREAD)

    with pytest.raises(HistoryError, match="cannot be written"):
        History.open(path)
