"""The window around the conversation: list, composer, status, first run."""
