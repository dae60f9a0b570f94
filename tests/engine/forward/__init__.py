"""Stage 3: logits and the KV cache."""
