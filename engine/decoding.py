"""Stage 5: token ids become text that only grows, without half characters, special tokens or stop strings."""

from collections.abc import Collection, Sequence

from tokenizers import Tokenizer as FastTokenizer
from tokenizers.decoders import DecodeStream


class StreamingDecoder:
    """Text of one answer, token by token.

    A character that several tokens make is given when it is complete; what never becomes a character is not given.

    Args:
        fast: The model's tokenizer.
        hidden: Ids of the special tokens, which have no text.
    """

    def __init__(self, fast: FastTokenizer, hidden: Collection[int]) -> None:
        self._fast = fast
        self._hidden = frozenset(hidden)
        self._stream = DecodeStream(skip_special_tokens=False)

    def feed(self, token_id: int) -> str:
        """Take the next token and give the text that is now certain."""
        if token_id in self._hidden:
            return ""
        return self._stream.step(self._fast, token_id) or ""


class StopMatcher:
    """Finds stop strings in a stream of text and holds back only what could still become one.

    The stop string at the earliest position wins, however the text is cut into pieces: a match waits while another
    stop string that began before it could still be completed.

    Args:
        stop: The stop strings, none of them empty.

    Attributes:
        matched: Whether a stop string was found; nothing may be fed after that.
    """

    def __init__(self, stop: Sequence[str]) -> None:
        self._stop = tuple(stop)
        self._longest = max(map(len, self._stop), default=0)
        self._held = ""
        self.matched = False

    def feed(self, text: str) -> str:
        """Take more text and give what can be shown."""
        self._held += text
        undecided = self._first_undecided()
        found = self._first_match()
        if found is not None and found <= undecided:
            return self._end_at(found)
        shown, self._held = self._held[:undecided], self._held[undecided:]
        return shown

    def flush(self) -> str:
        """Give what was held back, at the end of an answer: nothing can complete it any more."""
        found = self._first_match()
        if found is not None:
            return self._end_at(found)
        shown, self._held = self._held, ""
        return shown

    def _end_at(self, position: int) -> str:
        self.matched = True
        shown, self._held = self._held[:position], ""
        return shown

    def _first_match(self) -> int | None:
        return min((position for position in map(self._held.find, self._stop) if position >= 0), default=None)

    def _first_undecided(self) -> int:
        length = len(self._held)
        for start in range(max(0, length - self._longest + 1), length):
            if any(stop.startswith(self._held[start:]) for stop in self._stop):
                return start
        return length
