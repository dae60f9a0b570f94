"""The settings of one generation, validated where they are made."""

from dataclasses import dataclass

from engine.errors import SettingsError

LARGEST_SEED = 2**63 - 1
LARGEST_BEAMS = 16


@dataclass(frozen=True, slots=True)
class GenerationSettings:
    """How the next token is chosen and when generation ends.

    Attributes:
        temperature: Divides the logits before the softmax; 0 means greedy decoding.
        top_k: Only the k most probable tokens remain; 0 keeps all.
        top_p: Only the smallest set of most probable tokens whose probabilities reach this sum remains; 1 keeps all.
        min_p: Only tokens with at least this share of the largest probability remain; 0 keeps all.
        repetition_penalty: Divides positive and multiplies negative logits of tokens already seen; 1 changes nothing.
        seed: Starts the random numbers; the same seed and settings give the same text. None draws a new one.
        max_new_tokens: The longest answer, in tokens.
        beams: How many answers a beam search lets grow together, of which the most probable is given; 1 for none. Beams
            follow the probabilities of the model itself: what is said above of drawing has no part in it.
        length_penalty: For beams: 0 compares sums of log-probabilities, 1 their means; higher favours long answers.
        stop: Texts that end the answer; they are not shown.

    Raises:
        SettingsError: A value is outside its range.
    """

    temperature: float = 0.7
    top_k: int = 40
    top_p: float = 0.95
    min_p: float = 0.05
    repetition_penalty: float = 1.0
    seed: int | None = None
    max_new_tokens: int = 1024
    stop: tuple[str, ...] = ()
    beams: int = 1
    length_penalty: float = 1.0

    def __post_init__(self) -> None:
        _require(0 <= self.temperature <= 5, "temperature", "from 0 to 5", self.temperature)
        _require(self.top_k >= 0, "top-k", "0 or more", self.top_k)
        _require(0 < self.top_p <= 1, "top-p", "above 0 and at most 1", self.top_p)
        _require(0 <= self.min_p <= 1, "min-p", "from 0 to 1", self.min_p)
        _require(
            0 < self.repetition_penalty <= 10, "repetition penalty", "above 0 and at most 10", self.repetition_penalty
        )
        _require(self.max_new_tokens >= 1, "max-new-tokens", "1 or more", self.max_new_tokens)
        _require(1 <= self.beams <= LARGEST_BEAMS, "beams", f"from 1 to {LARGEST_BEAMS}", self.beams)
        _require(-5 <= self.length_penalty <= 5, "length penalty", "from -5 to 5", self.length_penalty)
        _require(self.seed is None or 0 <= self.seed <= LARGEST_SEED, "seed", f"from 0 to {LARGEST_SEED}", self.seed)
        if not all(self.stop):
            raise SettingsError("A text that ends the answer must not be empty.")


def _require(holds: bool, name: str, allowed: str, value: object) -> None:
    if not holds:
        raise SettingsError(
            "The setting {name} must be {allowed}, not {value}.", name=name, allowed=allowed, value=value
        )
