"""The application as a person meets it."""
