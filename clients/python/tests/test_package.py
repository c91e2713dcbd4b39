"""The package as users get it: built, installed in an empty environment, and imported."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1]
PROGRAM = "import baton, sys; print(baton.__version__, 'langgraph' in sys.modules)"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(PACKAGE)]
    subprocess.run(build, check=True, capture_output=True)
    return folder


def test_the_wheel_holds_the_package_with_its_types_and_nothing_else(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "baton/py.typed" in names
    assert all(name.startswith(("baton/", "baton_client-")) for name in names)
    metadata = zipfile.ZipFile(wheel).read(f"{wheel.name.split('-py3')[0]}.dist-info/METADATA")
    needed = [line for line in metadata.decode().splitlines() if line.startswith("Requires-Dist")]
    assert [line for line in needed if "extra ==" not in line] == ["Requires-Dist: httpx<1,>=0.27"]


if "PYTHON_PACKAGE" in os.environ:  # Downloads what it needs, so only in the long run.

    def test_both_archives_install_in_an_empty_environment(built: Path, tmp_path: Path) -> None:
        for number, archive in enumerate(sorted(built.iterdir())):
            environment = tmp_path / str(number)
            subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
            python = str(environment / "bin" / "python")
            install = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
            subprocess.run([*install, str(archive)], check=True)
            ran = subprocess.run(
                [python, "-c", PROGRAM], check=True, capture_output=True, text=True
            )
            assert ran.stdout.split() == ["0.1.0", "False"]
