"""The wheels, the index and the settings of pip that the tests of the engine's models use as well."""

from tests.engine.models.conftest import index, pip_settings, wheels

__all__ = ["index", "pip_settings", "wheels"]
