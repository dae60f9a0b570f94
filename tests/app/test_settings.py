"""The settings file: whole or not at all, and never the reason that the window does not open."""

from pathlib import Path

import pytest

from app.settings import AppSettings, SettingsFileError


def test_saved_settings_come_back(tmp_path: Path) -> None:
    chosen = AppSettings(theme="dark", language="zh_CN", chinese="taiwan", spacing=True)

    chosen.save(tmp_path / "home" / "settings.json")

    assert AppSettings.load(tmp_path / "home" / "settings.json") == chosen
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["settings.json"]


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert AppSettings.load(tmp_path / "settings.json") == AppSettings()


def test_settings_of_a_later_version_are_read_as_far_as_they_are_known(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text('{"theme": "light", "invented_later": 1}')

    assert AppSettings.load(tmp_path / "settings.json") == AppSettings(theme="light")


@pytest.mark.parametrize(
    "text",
    ["{", "[1]", "null", '{"theme": "purple"}', '{"theme": []}', '{"chinese": "old"}', '{"spacing": 1}', "\udcff"],
)
def test_a_file_that_cannot_be_understood_is_kept_aside(tmp_path: Path, text: str) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(text.encode(errors="surrogateescape"))

    with pytest.raises(SettingsFileError, match=r"kept as settings\.unreadable\.json"):
        AppSettings.load(path)

    assert AppSettings.load(path) == AppSettings()
    assert (tmp_path / "settings.unreadable.json").read_bytes() == text.encode(errors="surrogateescape")


def test_settings_that_cannot_be_written_are_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where a folder should be")

    with pytest.raises(SettingsFileError, match="cannot be saved"):
        AppSettings().save(tmp_path / "home" / "settings.json")
