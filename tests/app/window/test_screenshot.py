"""A real window on a real (virtual) screen: Chinese text and code are to be seen."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage

from tests.support.model_folders import write_model_folder

ROOT = Path(__file__).parents[3]

# Opens the window with a scripted answer and writes a picture of the screen and where the two blocks stand on it.
PROGRAM = """
import json, sys
from pathlib import Path
from PySide6.QtCore import QPoint, QTimer
from PySide6.QtWidgets import QApplication
from app.application import open_window
from app.conversation_view.code import CodeBlock
from app.conversation_view.prose import ProsePanel
from app.paths import Paths
from engine import ModelStore
from tests.support.scripted_engine import ScriptedEngine

home, picture = Path(sys.argv[1]), sys.argv[2]
application = QApplication([])
paths = Paths(home)
answer = ["漢字測試的一段話，说明文字。", "\\n\\n```python\\nprint('一')\\n```\\n"]
window = open_window(application, paths, lambda _: ScriptedEngine(answer), ModelStore(paths.models))


def area(widget):
    corner = widget.mapToGlobal(QPoint(0, 0))
    return [corner.x(), corner.y(), widget.width(), widget.height()]


def photograph():
    window.screen().grabWindow(0).save(picture)
    prose, code = window.view.findChild(ProsePanel), window.view.findChild(CodeBlock)
    print(json.dumps({"prose": area(prose), "code": area(code)}))
    window.close()


def ask():
    window._conversations.reply_finished.connect(lambda *_: QTimer.singleShot(1000, photograph))
    window.composer.submitted.emit("请说点什么")


window.attached.connect(lambda: QTimer.singleShot(500, ask))
sys.exit(application.exec())
"""


def colours(picture: QImage, area: list[int]) -> set[str]:
    left, top, width, height = area
    return {QColor(picture.pixel(x, y)).name() for x in range(left, left + width) for y in range(top, top + height)}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("xvfb-run") is None, reason="needs a virtual screen: the package xvfb")
def test_chinese_text_and_a_code_block_are_not_blank(tmp_path: Path) -> None:
    write_model_folder(tmp_path / "models" / "tiny", "Tiny")
    picture = tmp_path / "screen.png"
    command = [
        "xvfb-run",
        "-a",
        "-s",
        "-screen 0 1200x800x24",
        sys.executable,
        "-c",
        PROGRAM,
        str(tmp_path),
        str(picture),
    ]
    environment = {**os.environ, "QT_QPA_PLATFORM": "xcb", "PYTHONPATH": str(ROOT)}
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)

    assert result.returncode == 0, result.stderr
    areas = json.loads(result.stdout.splitlines()[-1])
    screen = QImage(str(picture))
    # Smoothed glyphs have many shades; a blank area or an empty box has few.
    assert len(colours(screen, areas["prose"])) > 20
    assert len(colours(screen, areas["code"])) > 20
