"""A real screen: what a person would see is there, in glyphs and not in boxes."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QImage

from app.paths import Paths
from tests.support.model_folders import write_model_folder

ROOT = Path(__file__).parents[3]

PROGRAM = """
import json, sys
from pathlib import Path
from PySide6.QtCore import QPoint, QRect, QTimer
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication
from app.application import open_window
from app.conversation_view.code import CodeBlock
from app.conversation_view.text_panel import TextPanel
from app.paths import Paths
from engine import ModelStore
from tests.support.scripted_engine import ScriptedEngine

answer = "国一国一\\n\\n```python\\nprint('国')  # 注释\\n```\\n"
paths, picture = Paths(Path(sys.argv[1])), sys.argv[2]
application = QApplication([])
window = open_window(application, paths, lambda _: ScriptedEngine([answer]), ModelStore(paths.models))

def rectangle(widget, local):
    return [*widget.mapToGlobal(local.topLeft()).toTuple(), local.width(), local.height()]

def take_picture():
    panel = next(one for one in window.view.findChildren(TextPanel) if one.toPlainText() == "国一国一")
    cursor = QTextCursor(panel.document())
    edges = []
    for _ in range(5):
        edges.append(panel.cursorRect(cursor))
        cursor.movePosition(QTextCursor.MoveOperation.NextCharacter)
    cells = [QRect(left.topLeft(), QPoint(right.left() - 1, left.bottom())) for left, right in zip(edges, edges[1:])]
    code = window.view.findChild(CodeBlock)
    window.screen().grabWindow(0).save(picture)
    places = {"cells": [rectangle(panel.viewport(), cell) for cell in cells], "code": rectangle(code, code.rect())}
    print(json.dumps(places))
    window.close()

def ask():
    window.composer.draft = "question"
    window.composer.send_button.click()
    window._conversations.reply_finished.connect(lambda *_: QTimer.singleShot(1000, take_picture))

window.attached.connect(ask)
sys.exit(application.exec())
"""


def ink(picture: QImage) -> float:
    """Share of pixels that differ from the one in the corner."""
    paper = picture.pixel(0, 0)
    pixels = [picture.pixel(x, y) for x in range(picture.width()) for y in range(picture.height())]
    return sum(pixel != paper for pixel in pixels) / len(pixels)


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("xvfb-run"), reason="needs Xvfb, a screen without hardware")
def test_chinese_text_and_a_code_block_are_on_the_screen(paths: Paths, tmp_path: Path) -> None:
    write_model_folder(paths.models / "tiny", "Tiny")
    picture = tmp_path / "screen.png"
    environment = {name: value for name, value in os.environ.items() if name != "QT_QPA_PLATFORM"}

    finished = subprocess.run(
        ["xvfb-run", "-a", "-s", "-screen 0 1200x800x24", sys.executable, "-c", PROGRAM, str(paths.home), str(picture)],
        cwd=ROOT,
        env=environment | {"QT_QPA_PLATFORM": "xcb"},
        capture_output=True,
        text=True,
        timeout=90,
        check=True,
    )

    places = json.loads(finished.stdout.splitlines()[-1])
    screen = QImage(str(picture))
    first, second, third, fourth = (screen.copy(QRect(*cell)) for cell in places["cells"])
    assert ink(first) > 0.1
    assert ink(screen.copy(QRect(*places["code"]).adjusted(8, 8, -8, -8))) > 0.01
    # Boxes in place of glyphs that no font has would all look alike; 一 has far less ink than 国.
    assert ink(first) > 1.5 * ink(second) > 0
    assert (ink(first), ink(second)) == pytest.approx((ink(third), ink(fourth)), rel=0.3)
