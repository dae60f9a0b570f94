"""Decoding: text only grows, characters come whole, special tokens and stop strings never show."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.decoding import StopMatcher, StreamingDecoder
from tests.support.tokenizers import SPECIAL, byte_fallback_tokenizer, byte_level_tokenizer, ids_of

BYTE_LEVEL = byte_level_tokenizer()
HIDDEN = ids_of(BYTE_LEVEL, SPECIAL)
NON_SURROGATE_TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def decode_all(decoder: StreamingDecoder, token_ids: list[int]) -> list[str]:
    return [decoder.feed(token_id) for token_id in token_ids]


def match_all(stop: list[str], pieces: list[str]) -> tuple[str, int]:
    """The text shown and the number of pieces that were asked for."""
    matcher = StopMatcher(stop)
    shown = ""
    for count, piece in enumerate(pieces, 1):
        shown += matcher.feed(piece)
        if matcher.matched:
            return shown, count
    return shown + matcher.flush(), len(pieces)


def test_a_character_made_of_several_byte_tokens_is_given_when_it_is_complete() -> None:
    tokenizer = byte_fallback_tokenizer(["▁Hello", "▁world", "!", "▁", "你"])
    tokens = ["▁Hello", "▁world", "!", "▁", *(f"<0x{byte:02X}>" for byte in "🧪".encode()), "你"]
    tokens += [f"<0x{byte:02X}>" for byte in "聪".encode()]

    pieces = decode_all(StreamingDecoder(tokenizer, []), ids_of(tokenizer, tokens))

    assert pieces == ["Hello", " world", "!", " ", "", "", "", "🧪", "你", "", "", "聪"]


def test_spaces_of_sentence_piece_tokens_are_exact() -> None:
    tokens = ["▁The", "▁cat", "s", "▁sat", "\n", "▁▁▁▁return"]
    tokenizer = byte_fallback_tokenizer(tokens)

    pieces = decode_all(StreamingDecoder(tokenizer, []), ids_of(tokenizer, tokens))

    assert "".join(pieces) == "The cats sat\n    return"


@given(NON_SURROGATE_TEXT)
def test_joined_pieces_are_the_text_for_any_text_cut_into_bytes(text: str) -> None:
    token_ids = BYTE_LEVEL.encode(text, add_special_tokens=False).ids

    pieces = decode_all(StreamingDecoder(BYTE_LEVEL, []), token_ids)

    assert "".join(pieces) == text
    assert "\ufffd" in text or not any("\ufffd" in piece for piece in pieces)


@given(st.lists(st.integers(0, BYTE_LEVEL.get_vocab_size() - 1), max_size=60))
def test_no_sequence_of_tokens_makes_the_decoder_fail_or_show_a_special_token(token_ids: list[int]) -> None:
    text = "".join(decode_all(StreamingDecoder(BYTE_LEVEL, HIDDEN), token_ids))

    assert len(text) <= len(token_ids)


def test_special_tokens_are_never_shown() -> None:
    token_ids = ids_of(BYTE_LEVEL, ["<|im_start|>", "a", "<|im_end|>"])
    assert decode_all(StreamingDecoder(BYTE_LEVEL, HIDDEN), token_ids) == ["", "a", ""]


@pytest.mark.parametrize(
    ("stop", "pieces", "shown", "asked"),
    [
        (["<|im_end|>"], ["Hel", "lo<", "|im", "_end", "|>", "junk"], "Hello", 5),
        (["\n用户："], ["甲", "乙", "\n用", "户："], "甲乙", 4),
        (["later", "now"], ["right now or later"], "right ", 1),
        (["abc", "b"], ["xab", "c"], "x", 2),
        (["abc", "b"], ["xab", "d"], "xa", 2),
        (["abc"], ["a", "b"], "ab", 2),
        ([], ["a", "b"], "ab", 2),
    ],
)
def test_stop_strings_end_the_text_before_them(stop: list[str], pieces: list[str], shown: str, asked: int) -> None:
    assert match_all(stop, pieces) == (shown, asked)


def test_what_is_held_back_and_turns_out_harmless_is_shown_once() -> None:
    matcher = StopMatcher(["END"])

    assert [matcher.feed("E"), matcher.feed("N"), matcher.feed("x"), matcher.flush()] == ["", "", "ENx", ""]


@given(st.lists(st.text("abc", min_size=1, max_size=4), max_size=3), st.text("abc", max_size=30), st.data())
def test_the_cuts_of_the_stream_do_not_change_what_is_shown(stop: list[str], text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    first = min((position for position in map(text.find, stop) if position >= 0), default=len(text))

    assert match_all(stop, pieces)[0] == text[:first]
