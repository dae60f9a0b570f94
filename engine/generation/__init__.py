"""Stage 4: logits become the next token, until a stop condition holds."""
