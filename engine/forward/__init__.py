"""Stage 3: token ids become logits, by ONNX Runtime with the KV cache in place."""

import numpy as np
from numpy.typing import NDArray

Logits = NDArray[np.float32]
"""Logits, float32, of shape (positions, vocabulary) or, for one position, (vocabulary,)."""
