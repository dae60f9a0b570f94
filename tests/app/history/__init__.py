"""The history: what was typed and said is never lost."""
