"""A label that takes the room it gets."""

from pytestqt.qtbot import QtBot

from app.eliding_label import ElidingLabel

TEXT = "Model · CPU · answering · 36.6 tokens/s · context: 217 of 8192 tokens"


def test_what_does_not_fit_ends_in_an_ellipsis_and_a_tool_tip_tells_the_whole(qtbot: QtBot) -> None:
    label = ElidingLabel()
    qtbot.addWidget(label)
    label.setText(TEXT)
    label.resize(150, 20)
    label.show()

    assert label.shown_text.endswith("…")
    assert label.toolTip() == TEXT

    label.resize(2000, 20)
    assert label.shown_text == TEXT
    assert label.toolTip() == ""


def test_a_long_text_asks_for_no_room(qtbot: QtBot) -> None:
    label = ElidingLabel()
    qtbot.addWidget(label)
    label.setText(TEXT * 20)

    assert label.sizePolicy().horizontalPolicy() == label.sizePolicy().Policy.Ignored
