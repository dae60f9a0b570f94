"""Right before fast: the float32 graph and transformers compute the same from the same weights."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.cancellation import Cancellation
from engine.export import convert_gguf
from engine.export.architectures import model_shape
from engine.export.gguf_header import read_header
from engine.export.gguf_tensors import GgufTensors
from engine.export.reference import reference_logits
from engine.export.weights import ModelWeights
from engine.forward.session import ForwardSession
from engine.tokenization import Tokenizer
from tests.support.gguf_models import TinyModel

pytestmark = [pytest.mark.export, pytest.mark.slow]

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

PROMPTS = ("The capital of Japan is", "def average(numbers):\n    ", "1, 2, 3, 4, 5, 6,")
NEW_TOKENS = 64
LARGEST_DIFFERENCE = 1e-3
LLAMA_3_FACTOR = 4.0

TINY_MODELS = {
    "llama": TinyModel("llama"),
    "llama with wide heads": TinyModel("llama", seed=1, heads=4, kv_heads=1, head_size=32),
    "qwen2": TinyModel("qwen2"),
    "qwen2 without groups": TinyModel("qwen2", seed=1, kv_heads=4, rope_base=1_000_000.0),
}


def torch_model(model: TinyModel) -> Any:
    """The same weights in transformers."""
    kind = {"llama": "Llama", "qwen2": "Qwen2"}[model.architecture]
    config = getattr(transformers, f"{kind}Config")(
        vocab_size=model.vocabulary,
        hidden_size=model.hidden,
        intermediate_size=model.feed_forward,
        num_hidden_layers=model.layers,
        num_attention_heads=model.heads,
        num_key_value_heads=model.kv_heads,
        head_dim=model.head_size,
        max_position_embeddings=model.context,
        rms_norm_eps=model.epsilon,
        rope_theta=model.rope_base,
        tie_word_embeddings=model.tied,
        attn_implementation="eager",
    )
    names = {
        "token_embd": "model.embed_tokens",
        "output_norm": "model.norm",
        "output": "lm_head",
        "attn_norm": "input_layernorm",
        "attn_q": "self_attn.q_proj",
        "attn_k": "self_attn.k_proj",
        "attn_v": "self_attn.v_proj",
        "attn_output": "self_attn.o_proj",
        "ffn_norm": "post_attention_layernorm",
        "ffn_gate": "mlp.gate_proj",
        "ffn_up": "mlp.up_proj",
        "ffn_down": "mlp.down_proj",
    }
    state = {}
    for name, array in model.weights().items():
        *block, part, kind_of_tensor = name.split(".")
        prefix = f"model.layers.{block[1]}." if block else ""
        state[f"{prefix}{names[part]}.{kind_of_tensor}"] = torch.from_numpy(array)
    built = getattr(transformers, f"{kind}ForCausalLM")(config).eval()
    missing, unexpected = built.load_state_dict(state, strict=False)
    assert not unexpected
    assert set(missing) <= {"lm_head.weight"}
    built.tie_weights()
    return built


def torch_logits(model: Any, token_ids: list[int]) -> NDArray[np.float32]:
    with torch.inference_mode():
        logits: NDArray[np.float32] = model(torch.tensor([token_ids])).logits[0].float().numpy()
    return logits


def torch_greedy(model: Any, token_ids: list[int]) -> list[int]:
    cache, step, chosen = None, token_ids, []
    with torch.inference_mode():
        for _ in range(NEW_TOKENS):
            output = model(torch.tensor([step]), past_key_values=cache, use_cache=True)
            cache = output.past_key_values
            step = [int(output.logits[0, -1].argmax())]
            chosen += step
    return chosen


def greedy(session: ForwardSession, token_ids: list[int]) -> list[int]:
    session.cache.rewind(0)
    step, chosen = token_ids, []
    for _ in range(NEW_TOKENS):
        step = [int(session.forward(step)[0].argmax())]
        chosen += step
    return chosen


def export(source: Path, folder: Path) -> tuple[ForwardSession, Tokenizer]:
    manifest = convert_gguf(source, folder, "fp32", lambda _: None, Cancellation())
    return ForwardSession.load(folder, manifest), Tokenizer.load(folder)


def assert_same(ours: ForwardSession, tokenizer: Tokenizer, theirs: Any) -> None:
    for prompt in PROMPTS:
        token_ids = tokenizer.fast.encode(prompt, add_special_tokens=False).ids
        ours.cache.rewind(0)
        logits, expected = ours.forward(token_ids, len(token_ids)).copy(), torch_logits(theirs, token_ids)
        assert np.abs(logits - expected).max() <= LARGEST_DIFFERENCE * np.ptp(expected)
        assert greedy(ours, token_ids) == torch_greedy(theirs, token_ids)


@pytest.mark.parametrize("name", TINY_MODELS)
def test_a_small_model_computes_as_in_transformers(tmp_path: Path, name: str) -> None:
    model = TINY_MODELS[name]

    session, tokenizer = export(model.write_gguf(tmp_path / "tiny.gguf"), tmp_path / "tiny")

    assert_same(session, tokenizer, torch_model(model))


@pytest.mark.parametrize("name", TINY_MODELS)
def test_the_reference_of_the_quality_report_computes_as_transformers(tmp_path: Path, name: str) -> None:
    model = TINY_MODELS[name]
    header = read_header(model.write_gguf(tmp_path / "tiny.gguf"))
    shape, token_ids = model_shape(header), list(range(3, 200))

    logits = reference_logits(shape, ModelWeights(GgufTensors(header), shape), token_ids, lambda _: None)

    expected = torch_logits(torch_model(model), token_ids)
    assert np.abs(logits - expected).max() <= LARGEST_DIFFERENCE * np.ptp(expected)


def test_rotation_factors_of_llama_3_are_honoured(tmp_path: Path) -> None:
    factors = np.linspace(1, LLAMA_3_FACTOR, 8, dtype=np.float32)
    model = TinyModel("llama", rope_factors=factors)
    theirs = torch_model(model)
    theirs.model.rotary_emb.inv_freq /= torch.from_numpy(factors)

    session, tokenizer = export(model.write_gguf(tmp_path / "tiny.gguf"), tmp_path / "tiny")

    assert_same(session, tokenizer, theirs)


def test_the_starter_computes_and_tokenises_as_in_transformers(tmp_path: Path, starter_gguf: Path) -> None:
    theirs = transformers.AutoModelForCausalLM.from_pretrained(
        starter_gguf.parent, gguf_file=starter_gguf.name, dtype=torch.float32
    ).eval()
    reference = transformers.AutoTokenizer.from_pretrained(starter_gguf.parent, gguf_file=starter_gguf.name)

    session, tokenizer = export(starter_gguf, tmp_path / "starter")

    assert_same(session, tokenizer, theirs)
    for prompt in (*PROMPTS, "It's 2024,\tok  \n\n  你好，世界 🧪 naïve"):
        assert tokenizer.fast.encode(prompt).ids == reference(prompt, add_special_tokens=False).input_ids
