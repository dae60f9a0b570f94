"""What may be printed of a text that came from a file or a model."""


def printable(text: str) -> str:
    """Let no name, path or message steer the terminal or break the line."""
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
