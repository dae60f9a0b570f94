"""Writes the weights of a GGUF file in the way of transformers, so that it is measured on the same weights."""

from pathlib import Path


def save_for_transformers(source: Path, folder: Path) -> int:
    """Write a model folder of transformers; needs the extra `export`.

    Returns:
        How many numbers the weights are, those of a tied head counted once.
    """
    import torch
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(source.parent, gguf_file=source.name, dtype=torch.float32)
    model.save_pretrained(folder)
    return int(model.num_parameters())
