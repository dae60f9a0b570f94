"""The file: killed programs, second windows, full disks and damaged pages lose nothing."""

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

from app.history import DamagedHistoryError, History, HistoryError, move_aside
from app.history.errors import sentences
from app.history.migrations import MIGRATIONS, conversations_and_messages
from engine import GenerationSettings

ROOT = Path(__file__).parents[3]

# Every line that is printed was committed before.
STREAM_FOR_EVER = """
import sys
from pathlib import Path
from app.history import History
from engine import GenerationSettings, Statistics
history = History.open(Path(sys.argv[1]))
conversation = history.create_conversation()
while True:
    _, reply = history.ask(conversation.id, "问题", GenerationSettings(), "m", "h")
    for length in range(50, 2000, 50):
        history.save_partial(reply.id, "字" * length, list(range(length)))
        print(f"{reply.id} {length}", flush=True)
    history.finish(reply.id, "字" * 2000, "end", 1, Statistics(1, 0, 1, 0.1, 0.1, 0.1), list(range(2000)))
    print(f"{reply.id} 2000", flush=True)
"""


WRITE_UNTIL_REFUSED = """
import resource, sys
from pathlib import Path
from app.history import History, HistoryError
from engine import GenerationSettings
history = History.open(Path(sys.argv[1]))
conversation = history.create_conversation()
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
try:
    while True:
        question, _ = history.ask(conversation.id, "long " * 5000, GenerationSettings(), "m", "h")
        print(question.id, flush=True)
except HistoryError as error:
    print("HistoryError:", error, file=sys.stderr)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), 1_000_000))
history.close()
"""


def start_streaming(path: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", STREAM_FOR_EVER, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


def open_and_read(path: Path, conversation_id: int) -> None:
    History.open(path).thread(conversation_id)


@pytest.mark.slow
@pytest.mark.parametrize("milliseconds", [0, 3, 10, 25, 50, 100, 170, 250, 400, 600])
def test_a_program_killed_while_it_streams_loses_nothing_that_was_saved(path: Path, milliseconds: int) -> None:
    program = start_streaming(path)
    assert program.stdout is not None
    program.stdout.readline()
    time.sleep(milliseconds / 1000)
    program.send_signal(signal.SIGKILL)
    # The last line may be cut, too.
    lines = program.stdout.read().split("\n")[:-1]
    saved = {int(reply): int(length) for reply, length in map(str.split, lines)}
    program.wait()

    history = History.open(path)
    (conversation,) = history.conversations()
    replies = [message for message in history.thread(conversation.id) if message.role == "assistant"]
    found = history.search("字字字", limit=100_000)
    history.close()

    for reply in replies:
        assert reply.reply is not None
        assert reply.text == "字" * len(reply.reply.token_ids)
        assert len(reply.text) >= saved.get(reply.id, 0)
        assert reply.state == ("complete" if len(reply.text) == 2000 else "interrupted")
    assert {reply.id for reply in replies} >= saved.keys()
    assert {hit.message_id for hit in found} == {reply.id for reply in replies if reply.text}
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        connection.execute("INSERT INTO messages_text (messages_text) VALUES ('integrity-check')")


def test_a_second_window_on_the_same_history_is_refused_with_a_sentence(path: Path) -> None:
    program = start_streaming(path)
    assert program.stdout is not None
    program.stdout.readline()

    with pytest.raises(HistoryError, match="already open"):
        History.open(path)

    program.kill()
    program.communicate()


def test_an_idle_history_keeps_its_lock_and_shares_no_memory(history: History, path: Path) -> None:
    with pytest.raises(HistoryError, match="already open"):
        History.open(path)
    with closing(sqlite3.connect(path, timeout=0)) as other, pytest.raises(sqlite3.OperationalError, match="locked"):
        other.execute("SELECT * FROM messages").fetchall()

    assert not path.with_name(path.name + "-shm").exists()
    history.create_conversation("still writable")


def test_a_history_of_a_newer_program_is_refused_untouched(path: Path) -> None:
    History.open(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    before = path.read_bytes()

    with pytest.raises(HistoryError, match="newer Sixpane"):
        History.open(path)

    assert path.read_bytes() == before


def test_a_newer_history_whose_program_was_killed_is_refused_untouched(path: Path) -> None:
    program = start_streaming(path)
    assert program.stdout is not None
    program.stdout.readline()
    program.kill()
    program.communicate()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
        connection.execute("PRAGMA wal_checkpoint")
        connection.execute("UPDATE conversations SET title = 'still in the log'")
        log = path.with_name(path.name + "-wal")
        before = path.read_bytes(), log.read_bytes()

        with pytest.raises(HistoryError, match="newer Sixpane"):
            History.open(path)

        assert (path.read_bytes(), log.read_bytes()) == before


def test_a_database_of_another_program_is_refused_untouched(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (address TEXT)")
    before = path.read_bytes()

    with pytest.raises(DamagedHistoryError):
        History.open(path)

    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_an_older_history_is_backed_up_and_brought_up_to_date(path: Path) -> None:
    database = Database(path)
    conversations_and_messages(database)
    database["conversations"].insert({"id": 1, "title": "旧的", "titled_by_hand": 0, "created": 1.0, "updated": 1.0})
    message = {
        "conversation_id": 1,
        "role": "user",
        "text": "旧的问题",
        "state": "complete",
        "created": 1.0,
        "error": "",
    }
    database["messages"].insert(message)
    database.execute("PRAGMA user_version = 1")
    database.close()

    history = History.open(path)

    assert [conversation.title for conversation in history.conversations()] == ["旧的"]
    assert [hit.message_id for hit in history.search("旧的问题")] == [1]
    (backup,) = path.parent.glob("*.backup.sqlite3")
    with sqlite3.connect(backup) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert connection.execute("SELECT title FROM conversations").fetchall() == [("旧的",)]
    history.close()
    with closing(sqlite3.connect(path)) as connection:
        applied = connection.execute("SELECT number, name FROM migrations ORDER BY number").fetchall()
    assert applied == [(number, step.__name__) for number, step in enumerate(MIGRATIONS[1:], 2)]


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


@pytest.mark.skipif(os.name == "nt", reason="Windows has no limit on the size of files")
@pytest.mark.parametrize("limit_of_closing", [1_000_000, 100_000, 10_000])
def test_a_file_that_may_not_grow_gives_a_sentence_and_keeps_what_was_there(path: Path, limit_of_closing: int) -> None:
    command = [sys.executable, "-c", WRITE_UNTIL_REFUSED, str(path), str(limit_of_closing)]
    program = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)

    history = History.open(path)
    saved = [history.message(int(number)).text for number in program.stdout.split()]
    history.close()

    assert "HistoryError: The history" in program.stderr
    assert saved
    assert set(saved) == {"long " * 5000}
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_histories_moved_aside_in_the_same_second_are_all_kept(path: Path) -> None:
    contents = [b"first", b"second", b"third"]
    aside = []
    for content in contents:
        path.write_bytes(content)
        path.with_name(path.name + "-wal").write_bytes(b"log of " + content)
        aside.append(move_aside(path, clock=lambda: 1.0e9))

    assert [one.read_bytes() for one in aside] == contents
    assert [one.with_name(one.name + "-wal").read_bytes() for one in aside] == [b"log of " + one for one in contents]
    assert not path.exists()


def test_a_fault_of_ours_is_no_sentence_for_the_person(history: History, path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such table"), sentences(path):
        history._database.execute("SELECT * FROM misspelt")


def test_who_asks_after_the_end_gets_a_sentence(history: History) -> None:
    history.close()

    with pytest.raises(HistoryError, match="cannot be used"):
        history.conversations()


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights on files")
def test_nobody_else_may_read_the_history(history: History, path: Path) -> None:
    history.create_conversation("private")

    assert {file.stat().st_mode & 0o077 for file in path.parent.glob("history.sqlite3*")} == {0}


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
