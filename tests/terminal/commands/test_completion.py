"""The script that `pierule completion` prints, in a real shell."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pierule_terminal import cli


def script(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert cli.main(["completion", shell]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("typed", "offered", "others"),
    [
        ("wat", {"watch"}, set()),
        ("watch --js", {"--json"}, set()),
        ("bot --le", {"--level"}, set()),
        ("bot --level o", {"one-step"}, {"random"}),
        ("admin rooms cl", {"close"}, set()),
        ("completion ", {"bash", "zsh", "fish"}, set()),
        ("verify RE", {"RECORD.json"}, {"watch"}),
    ],
)
def test_bash_completes(
    typed: str,
    offered: set[str],
    others: set[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "completion").write_text(script("bash", capsys))
    (tmp_path / "RECORD.json").touch()
    words = ["pierule", *typed.split(" ")]
    # What bash does when Tab is pressed, by the function that the script has it call.
    ask = """
    source ./completion
    function=$(complete -p pierule | sed 's/.*-F \\([^ ]*\\).*/\\1/')
    compopt() { :; }
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    "$function" pierule "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    printf '%s\\n' "${COMPREPLY[@]}"
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", ask, "bash", *words],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = {word.strip() for word in done.stdout.splitlines()}
    assert offered <= found, done.stderr
    assert not others & found


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_scripts_of_other_shells_have_every_command(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = script(shell, capsys)
    for word in (*cli.find_commands(), "json", "token-file"):
        assert word in text


def test_a_command_that_cannot_be_loaded_is_completed_without_options() -> None:
    from importlib.metadata import EntryPoint

    missing = EntryPoint("lost", "pierule.no_such_module", cli.GROUP)
    parser = cli.build_parser({"lost": missing}, whole=True)
    assert parser.parse_args(["lost"]).command == "lost"
