"""`pierule account`, as far as it needs no server."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from pierule_terminal import cli


@pytest.mark.parametrize("typed", ["", "\n"])
def test_a_recovery_code_that_does_not_come_is_asked_for(
    typed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert cli.main(["account", "recover", "Ada"]) == 2
    assert "type the recovery code" in capsys.readouterr().err
