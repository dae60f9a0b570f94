"""Conversations are trees of messages, and everything is on the disk when a method returns."""

from pathlib import Path

import pytest

from app.history import History
from engine import GenerationSettings, Statistics

SETTINGS = GenerationSettings(seed=7, stop=("\n用户：",))
STATISTICS = Statistics(37, 0, 8, 0.1, 0.11, 0.2)


def ask(history: History, text: str = "What is the capital of Japan?") -> tuple[int, int, int]:
    """A conversation with a question and a reply that streams; their ids."""
    conversation = history.create_conversation()
    question, reply = history.ask(conversation.id, text, SETTINGS, "SmolLM2", "abc")
    return conversation.id, question.id, reply.id


def test_a_question_and_its_empty_reply_are_stored_together(history: History) -> None:
    conversation, question, reply = ask(history)

    first, second = history.thread(conversation)

    assert (first.id, first.role, first.text, first.state) == (
        question,
        "user",
        "What is the capital of Japan?",
        "complete",
    )
    assert (second.id, second.parent_id, second.text, second.state) == (reply, question, "", "streaming")


def test_a_finished_reply_keeps_how_it_was_made(history: History) -> None:
    conversation, _, reply = ask(history)

    history.finish(reply, "Tokyo.", "end", 7, STATISTICS, [504, 100_000, 2])

    stored = history.thread(conversation)[1]
    assert (stored.text, stored.state) == ("Tokyo.", "complete")
    assert stored.reply is not None
    assert (stored.reply.model, stored.reply.model_hash, stored.reply.seed) == ("SmolLM2", "abc", 7)
    assert (stored.reply.settings, stored.reply.statistics) == (SETTINGS, STATISTICS)
    assert (stored.reply.stop_reason, stored.reply.token_ids) == ("end", (504, 100_000, 2))


def test_a_failed_reply_keeps_its_text_and_its_sentence(history: History) -> None:
    conversation, _, reply = ask(history)

    history.fail(reply, "Tok", "The model failed.")

    stored = history.thread(conversation)[1]
    assert (stored.text, stored.state, stored.error) == ("Tok", "failed", "The model failed.")


def test_what_streamed_when_the_program_ended_is_interrupted_after_the_next_start(history: History, path: Path) -> None:
    conversation, _, reply = ask(history)
    history.save_partial(reply, "The capital", [1, 2])
    history.close()

    reopened = History.open(path)

    stored = reopened.thread(conversation)[1]
    assert (stored.text, stored.state) == ("The capital", "interrupted")
    reopened.close()


def test_regenerating_adds_a_branch_and_overwrites_nothing(history: History) -> None:
    conversation, question, first = ask(history)
    history.finish(first, "Kyoto.", "end", 7, STATISTICS, [1])

    second = history.regenerate(first, SETTINGS, "Qwen", "def")

    assert second.parent_id == question
    assert [message.id for message in history.thread(conversation)] == [question, second.id]
    assert history.message(first).text == "Kyoto."


def test_a_question_in_other_words_is_a_version_beside_the_first(history: History) -> None:
    conversation, question, first = ask(history)

    other, reply = history.ask_instead(question, "In other words?", SETTINGS, "Qwen", "def")

    shown = history.thread(conversation)
    assert [message.id for message in shown] == [other.id, reply.id]
    assert [message.versions for message in shown] == [(question, other.id), (reply.id,)]
    assert history.message(first).parent_id == question


def test_the_branch_of_a_message_is_shown_to_its_newest_end(history: History) -> None:
    conversation, question, first = ask(history)
    follow_up, reply = history.ask(conversation, "Sure?", SETTINGS, "Qwen", "def")
    history.regenerate(first, SETTINGS, "Qwen", "def")

    history.show_branch_of(first)

    assert [message.id for message in history.thread(conversation)] == [question, first, follow_up.id, reply.id]


def test_the_next_question_follows_the_shown_branch(history: History) -> None:
    conversation, question, first = ask(history)
    second = history.regenerate(first, SETTINGS, "Qwen", "def")

    follow_up, reply = history.ask(conversation, "Sure?", SETTINGS, "Qwen", "def")

    assert [message.id for message in history.thread(conversation)] == [question, second.id, follow_up.id, reply.id]


def test_the_first_question_gives_the_title_and_a_title_by_hand_stays(history: History) -> None:
    conversation, _, _ = ask(history, "你好，世界")
    assert history.conversations()[0].title == "你好，世界"

    history.rename(conversation, "Greetings")
    history.ask(conversation, "再见", SETTINGS, "m", "h")

    assert history.conversations()[0].title == "Greetings"


def test_a_deleted_conversation_is_out_of_sight_and_can_be_restored(history: History) -> None:
    conversation, _, _ = ask(history)

    history.delete(conversation)
    assert history.conversations() == []

    history.restore(conversation)
    assert [one.id for one in history.conversations()] == [conversation]
    assert len(history.thread(conversation)) == 2


def test_the_conversation_used_last_comes_first(history: History) -> None:
    first, _, _ = ask(history)
    second, _, _ = ask(history)
    assert [one.id for one in history.conversations()] == [second, first]

    history.ask(first, "And Peru?", SETTINGS, "m", "h")

    assert [one.id for one in history.conversations()] == [first, second]


def test_a_clock_that_goes_back_does_not_change_the_order_of_messages(path: Path) -> None:
    times = iter(range(1000, 0, -1))
    history = History.open(path, clock=lambda: float(next(times)))
    conversation, question, reply = ask(history)

    follow_up, second = history.ask(conversation, "Sure?", SETTINGS, "m", "h")

    assert [message.id for message in history.thread(conversation)] == [question, reply, follow_up.id, second.id]
    history.close()


def test_a_clock_that_goes_back_does_not_change_the_order_of_conversations(path: Path) -> None:
    times = iter(range(1000, 0, -1))
    history = History.open(path, clock=lambda: float(next(times)))
    first, _, _ = ask(history)
    second, _, _ = ask(history)

    history.ask(first, "Sure?", SETTINGS, "m", "h")

    assert [one.id for one in history.conversations()] == [first, second]
    history.close()


def test_a_late_word_does_not_change_a_reply_that_has_ended(history: History) -> None:
    conversation, _, reply = ask(history)
    history.finish(reply, "Tokyo.", "cancelled", 7, STATISTICS, [1])

    history.save_partial(reply, "Tokyo. And", [1, 2])
    history.fail(reply, "Tokyo. And", "Too late.")

    stored = history.thread(conversation)[1]
    assert (stored.text, stored.state, stored.error) == ("Tokyo.", "complete", "")
    assert stored.reply is not None
    assert stored.reply.token_ids == (1,)


def test_only_a_reply_can_be_regenerated(history: History) -> None:
    conversation, question, reply = ask(history)

    with pytest.raises(ValueError, match="no reply"):
        history.regenerate(question, SETTINGS, "m", "h")

    assert [message.id for message in history.thread(conversation)] == [question, reply]


def test_halves_of_characters_are_joined_or_replaced_and_never_fail(history: History) -> None:
    conversation, _, reply = ask(history, "joined \ud83e\uddea, alone \ud83e")

    history.fail(reply, "\udc00", "\udc00")

    question, stored = history.thread(conversation)
    assert question.text == "joined 🧪, alone \ufffd"
    assert (stored.text, stored.error) == ("\ufffd", "\ufffd")


def test_a_title_by_hand_is_one_line(history: History) -> None:
    conversation, _, _ = ask(history)

    history.rename(conversation, "  two\nlines\0 ")

    assert history.conversations()[0].title == "two lines"
