"""Stage 1: the conversation becomes a prompt that fits the context, in the model's own chat template."""
