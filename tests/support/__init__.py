"""Real parts in small sizes, shared by the tests."""
