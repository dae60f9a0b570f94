"""Whether a graph has the inputs and outputs that its manifest says."""

from onnxruntime import InferenceSession

from engine.models.manifest import Manifest


def matches(session: InferenceSession, manifest: Manifest) -> bool:
    """Compare names and fixed sizes; buffers are made by the manifest, so a wrong one must not reach the runtime."""
    inputs = {one.name: one.shape for one in session.get_inputs()}
    logits = next((one.shape for one in session.get_outputs() if one.name == "logits"), None)
    caches = [
        inputs.pop(f"past_key_values.{layer}.{part}", None)
        for layer in range(min(manifest.layers, len(inputs)))
        for part in ("key", "value")
    ]
    return (
        len(caches) == 2 * manifest.layers
        and all(shape is not None and shape[1::2] == [manifest.kv_heads, manifest.head_size] for shape in caches)
        and not any(name.startswith("past_key_values.") for name in inputs)
        and logits is not None
        and logits[-1] == manifest.vocabulary_size
    )
