"""The wheel is the whole program: it runs without the checkout, wherever its dependencies are
installed.
"""

import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

import commonplace
from tests.docs.loading import script
from tests.packaging.trial import tried


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    script("distributions").main(folder)
    return folder


def only(dist: Path, pattern: str) -> Path:
    (file,) = dist.glob(pattern)
    return file


def test_the_installed_wheel_remembers_recalls_and_serves_without_the_checkout(
    dist: Path, tmp_path: Path
) -> None:
    environment = tmp_path / "a bare environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "--python",
        str(environment / "bin" / "python"),
    ]
    subprocess.run(
        [*pip, "install", "-q", "--no-deps", "--no-index", only(dist, "*.whl")], check=True
    )
    # The dependencies are those of the lock. The checkout is not among them: a .pth file names it,
    # which is read in its own environment only.
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")

    assert tried(environment, tmp_path) == f"commonplace {commonplace.__version__}"


def test_one_wheel_is_for_every_python_and_platform(dist: Path) -> None:
    assert only(dist, "*.whl").name == f"commonplace-{commonplace.__version__}-py3-none-any.whl"


def test_the_wheel_names_its_licences_and_its_program(dist: Path) -> None:
    with zipfile.ZipFile(only(dist, "*.whl")) as wheel:
        names = {
            name.split(".dist-info/")[1]: name for name in wheel.namelist() if ".dist-info/" in name
        }
        metadata, notice, programs = (
            wheel.read(names[name]).decode()
            for name in ("METADATA", "licenses/NOTICE", "entry_points.txt")
        )

    assert re.search(r"^License-Expression: Apache-2.0 AND MIT$", metadata, re.MULTILINE)
    assert "Copyright (c) 2024 Lee Miller" in notice
    assert "commonplace=commonplace.__main__:main" in programs.replace(" ", "")


def test_a_wheel_built_from_the_source_archive_holds_the_same_files(
    dist: Path, tmp_path: Path
) -> None:
    subprocess.run(["tar", "-xzf", only(dist, "*.tar.gz"), "-C", tmp_path], check=True)
    (source,) = tmp_path.iterdir()
    build = "import sys; from flit_core import buildapi; buildapi.build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, str(tmp_path)], cwd=source, check=True)

    with (
        zipfile.ZipFile(only(dist, "*.whl")) as ours,
        zipfile.ZipFile(only(tmp_path, "*.whl")) as rebuilt,
    ):
        assert sorted(ours.namelist()) == sorted(rebuilt.namelist())
