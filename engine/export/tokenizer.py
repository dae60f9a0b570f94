"""The tokenizer out of the metadata of a GGUF file, as the `tokenizer.json` that the engine loads."""

from dataclasses import dataclass

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

from engine.errors import ModelFileError
from engine.export.gguf_header import GgufHeader

UNKNOWN, CONTROL, USER_DEFINED, BYTE = 2, 3, 4, 6
WORD_MARK = "▁"


@dataclass(frozen=True, slots=True)
class Splitting:
    """How a byte-level tokenizer cuts a text before it merges.

    Attributes:
        pattern: Each match is a piece; empty for the pattern of GPT-2, which the byte-level step brings along.
        single_digits: Every digit is cut out before.
        whole_words: A piece that is a token itself is not merged up from bytes.
        composed: The text is brought to the normal form NFC before.
    """

    pattern: str = ""
    single_digits: bool = False
    whole_words: bool = False
    composed: bool = False


_CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_LLAMA_3 = Splitting(_CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}" + _REST, whole_words=True)
_QWEN_2 = Splitting(_CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}" + _REST, composed=True)

SPLITTINGS = {
    "gpt-2": Splitting(),
    "smollm": Splitting(single_digits=True),
    "qwen2": _QWEN_2,
    "deepseek-r1-qwen": _QWEN_2,
    "llama-bpe": _LLAMA_3,
    "llama3": _LLAMA_3,
    "llama-v3": _LLAMA_3,
}


def build_tokenizer(header: GgufHeader, vocabulary: int) -> Tokenizer:
    """Build the tokenizer of a file.

    Args:
        header: The head of the file.
        vocabulary: Rows of the embedding; no token may have a higher id.

    Raises:
        ModelFileError: The file has no tokenizer, a damaged one or one of an unknown kind.
    """
    tokens, types = _texts(header, "tokens"), _numbers(header, "token_type")
    if not tokens or len(tokens) > vocabulary or len(types) != len(tokens) or len(set(tokens)) != len(tokens):
        raise _damaged(header)
    kind = header.metadata.get("tokenizer.ggml.model")
    if kind == "gpt2":
        tokenizer = _byte_level(header, tokens)
    else:
        raise ModelFileError(
            "The file {name} has a tokenizer of the kind {kind}, which Sixpane does not support.",
            name=header.path.name,
            kind=str(kind)[:40],
        )
    added = [(token, kind) for token, kind in zip(tokens, types, strict=True) if kind in (CONTROL, USER_DEFINED)]
    tokenizer.add_tokens([AddedToken(token, normalized=False, special=kind == CONTROL) for token, kind in added])
    return tokenizer


def _byte_level(header: GgufHeader, tokens: list[str]) -> Tokenizer:
    name = header.metadata.get("tokenizer.ggml.pre")
    splitting = SPLITTINGS.get(name) if isinstance(name, str) else None
    if splitting is None:
        raise ModelFileError(
            "The file {name} has a tokenizer that cuts texts in the way {way}, which Sixpane does not know.",
            name=header.path.name,
            way=str(name)[:40],
        )
    merges = [(left, right) for left, _, right in (merge.partition(" ") for merge in _texts(header, "merges"))]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    try:
        model = models.BPE(vocab=vocabulary, merges=merges, ignore_merges=splitting.whole_words)
    except Exception as error:
        raise _damaged(header) from error
    tokenizer = Tokenizer(model)
    if splitting.composed:
        tokenizer.normalizer = normalizers.NFC()
    steps: list[pre_tokenizers.PreTokenizer] = [
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=not splitting.pattern)
    ]
    if splitting.pattern:
        steps.insert(0, pre_tokenizers.Split(Regex(splitting.pattern), behavior="isolated"))
    if splitting.single_digits:
        steps.insert(0, pre_tokenizers.Digits(individual_digits=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(steps)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def _texts(header: GgufHeader, key: str) -> list[str]:
    values = header.metadata.get(f"tokenizer.ggml.{key}")
    if values is None:
        raise ModelFileError("The file {name} has no tokenizer, so Sixpane cannot use it.", name=header.path.name)
    if not isinstance(values, list):
        raise _damaged(header)
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) != len(values):
        raise _damaged(header)
    return texts


def _numbers(header: GgufHeader, key: str) -> list[int]:
    values = header.metadata.get(f"tokenizer.ggml.{key}")
    numbers = [value for value in values if isinstance(value, int)] if isinstance(values, list) else []
    if not isinstance(values, list) or len(numbers) != len(values):
        raise _damaged(header)
    return numbers


def _damaged(header: GgufHeader) -> ModelFileError:
    return ModelFileError("The file {name} has a damaged tokenizer.", name=header.path.name)
