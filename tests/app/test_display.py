"""Where no window can be opened, one sentence says so."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a screen")
def test_without_a_screen_one_line_says_so(tmp_path: Path) -> None:
    hidden = {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment |= {"SIXPANE_HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT)}

    result = subprocess.run([sys.executable, "-m", "app"], env=environment, capture_output=True, text=True, check=False)

    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == "sixpane: There is no screen to open a window on; `sixpane ask` answers without one.\n"
    assert not (tmp_path / "home").exists()
