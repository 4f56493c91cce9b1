"""The command line in this process, in the home of the test."""

from tests.faces.conftest import run

__all__ = ["run"]
