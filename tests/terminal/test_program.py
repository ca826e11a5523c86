"""The program itself: its commands, its help, and how it ends."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import ssl
import subprocess
import sys
import threading
from importlib.metadata import EntryPoint, version
from pathlib import Path

import pytest
from websockets.sync.server import serve

import pierule
from pierule_terminal import cli
from pierule_terminal.commands import Command
from support.certificates import certified

PROGRAM = [sys.executable, "-m", "pierule_terminal.cli"]
NAMES = ["bot", "export", "new", "play", "replay", "rooms", "serve", "verify", "watch"]
GAMES = Path(__file__).parents[1] / "vectors" / "games.jsonl"


def test_commands_are_entry_points_that_keep_the_interface() -> None:
    commands = cli.find_commands()
    assert set(NAMES) <= set(commands)
    for name in NAMES:
        command: Command = commands[name].load()
        assert isinstance(command.HELP, str)
        assert "\n" not in command.HELP
        assert callable(command.configure)
        assert callable(command.run)


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    for name, entry in cli.find_commands().items():
        assert f" {name} {entry.load().HELP} " in out
    assert "exit status:" in out


def test_listing_the_commands_imports_none_of_them() -> None:
    code = (
        "import sys; from pierule_terminal import cli; cli.main(['--help']);"
        "sys.exit(any(m.startswith(('pierule_server', 'pierule_terminal.commands.')) and m not in "
        "('pierule_server', 'pierule_server.operations') for m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([name, "--help"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"usage: pierule {name}")
    if name != "serve":
        assert "example" in out


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"pierule {version('pierule')}\n"


@pytest.mark.parametrize("argv", [[], ["nonsense"], ["--nonsense"], ["replay", "--nonsense"],
                                  ["new"], ["play"], ["watch"], ["new", "loose", "--size", "x"],
                                  ["play", "r", "--seat", "2"], ["new", "loose", "--clock", "5"],
                                  ["export"], ["verify"], ["bot", "chess"],
                                  ["bot", "--games", "0"], ["bot", "--seconds", "x"],
                                  ["bot", "--clock", "5"], ["rooms", "--limit", "0"],
                                  ["watch", "#"], ["play", ""], ["play", "Kobadimu"]])  # fmt: skip
def test_wrong_usage_exits_with_2_and_prints_the_usage(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(argv) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "usage: pierule" in err


def test_an_unknown_option_prints_the_usage_of_its_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["lobby", "--bogus", "x"]) == 2
    err = capsys.readouterr().err
    assert "usage: pierule lobby " in err
    assert "pierule lobby: error: unrecognized arguments: --bogus x" in err


MISTYPED = {
    "serve --prot 80": "pierule serve: error: unrecognized arguments: --prot 80; instead of "
    "--prot, did you mean --port?\n(see `pierule serve --help`)\n",
    "admin rooms list --limt=3": "unrecognized arguments: --limt=3; instead of --limt, did you "
    "mean --limit?\n(see `pierule admin rooms list --help`)\n",
    "admin users unban ada --reasno x": "are required: --reason; instead of --reasno, did you mean "
    "--reason?\n",
    "lobby -- --serber": "arguments: -- --serber\n(see `pierule lobby --help`)\n",
    "serv": "there is no command 'serv'; did you mean serve?\n(see `pierule --help`)\n",
    "xyzzy": "there is no command 'xyzzy'\n(see `pierule --help`)\n",
}


@pytest.mark.parametrize("words", MISTYPED)
def test_a_mistyped_flag_is_answered_with_the_nearest(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(words.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert MISTYPED[words] in err
    assert err.count("\n") < 12, "nobody finds the error below a usage of a hundred lines"


def _only(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    entry = EntryPoint(name, value, cli.GROUP)
    monkeypatch.setattr(cli, "find_commands", lambda: {name: entry})


def test_serve_without_the_extra_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "pierule_server.command", raising=False)
    monkeypatch.setitem(sys.modules, "uvloop", None)
    assert cli.main(["serve"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        "pierule: `pierule serve` needs uvloop, which is not installed; "
        "install it with: pip install 'pierule[server]'\n"
    )
    assert cli.main(["--help"]) == 0
    assert "serve " in capsys.readouterr().out


def test_a_package_missing_at_run_time_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "lazy_command.py").write_text(
        "HELP = 'x'\ndef configure(parser): pass\ndef run(args): import not_there_at_all\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    _only(monkeypatch, "lazy", "lazy_command")
    assert cli.main(["lazy"]) == 2
    assert "needs not_there_at_all, which is not installed" in capsys.readouterr().err


def test_a_command_whose_package_is_missing_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _only(monkeypatch, "gone", "gone_package.command")
    assert cli.main(["gone"]) == 2
    assert "gone_package" in capsys.readouterr().err
    assert cli.main(["--help"]) == 0
    assert "(no description)" in capsys.readouterr().out


def test_ctrl_c_ends_the_program_silently() -> None:
    with subprocess.Popen(
        [*PROGRAM, "replay"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # As a shell in the foreground has it; in the background it would be ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b'{"game": "taugo", "size": 6, "actions": []}\n')
        process.stdin.flush()
        process.stdout.readline()  # now it runs
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == b""


def test_a_broken_pipe_ends_the_program_silently() -> None:
    with subprocess.Popen(
        [*PROGRAM, "replay", str(GAMES)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait(60) == 141


def test_closed_streams_are_tolerated() -> None:
    for shell in ("<&-", ">&-", "<&- >&- 2>&-"):
        command = f"exec {sys.executable} -m pierule_terminal.cli replay {shell}"
        done = subprocess.run(command, shell=True, stdin=subprocess.DEVNULL, capture_output=True)
        assert (done.returncode, done.stderr) == (0, b"")


def test_a_full_disk_is_an_error_in_words(tmp_path: Path) -> None:
    """As full as it is for a file whose size is bounded: by the shell, to 512 bytes."""
    with (tmp_path / "output").open("wb") as output:
        done = subprocess.run(
            ["sh", "-c", 'ulimit -f 1; exec "$@"', "sh", *PROGRAM, "replay", GAMES],
            stdout=output, stderr=subprocess.PIPE, text=True,
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == "pierule: [Errno 27] File too large\n"


def test_errors_of_the_network_are_words(capsys: pytest.CaptureFixture[str], tmp_path: Path,
                                         monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    nobody = ["--server", "ws://127.0.0.1:9/ws"]
    for argv in (["new", "loose"], ["rooms"], ["watch", "r"], ["play", "r"], ["export", "r"]):
        assert cli.main([*argv, *nobody]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert err == (
            "pierule: no server at ws://127.0.0.1:9/ws (Connection refused); "
            "start one with `pierule serve`, or name another with --server URL\n"
        )
    assert cli.main(["rooms", "--server", "http://127.0.0.1:9"]) == 1
    assert "write it as ws://HOST:PORT/ws" in capsys.readouterr().err
    assert not list(tmp_path.rglob("tokens*"))


def test_an_untrusted_certificate_is_no_missing_server(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    shows, trusts = certified(tmp_path, "localhost")
    # The server logs the handshakes that fail from its own threads, into our stderr if it may.
    silent = logging.Logger("silent")  # no parent, so no handler that a test left there
    silent.addHandler(logging.NullHandler())
    with serve(lambda _: None, "127.0.0.1", 0, ssl=shows, logger=silent) as server:
        port = server.socket.getsockname()[1]
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        url = f"wss://localhost:{port}/ws"
        assert cli.main(["rooms", "--server", url]) == 1
        with pytest.raises(pierule.ConnectionLost) as caught:  # whom it trusts, but speaks not with
            asyncio.run(hello(url, trusts))
        server.shutdown()
        thread.join()
    said = capsys.readouterr().err
    assert said.startswith(f"pierule: the certificate of {url} is not trusted: ")
    assert "SSL_CERT_FILE" in said
    assert "certificate" not in str(caught.value)


async def hello(url: str, trusted: ssl.SSLContext) -> None:
    async with pierule.connect(url, ssl=trusted, timeout=60):
        pass
