"""Tests of the window: a real one, with a real history and an engine that follows a script."""
