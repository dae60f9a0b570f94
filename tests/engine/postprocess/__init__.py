"""Stage 6: views of the text."""
