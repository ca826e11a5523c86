"""How a room is named on the command line: by its id, with an invitation, or by a link."""

from __future__ import annotations

import argparse

import pytest

from pierule_terminal.commands.online import add_room, add_server_options, web_address

SECRET = "1f-_" * 4


@pytest.mark.parametrize(
    ("text", "room", "invitation", "server"),
    [
        ("kobadimu", "kobadimu", None, None),
        (f"kobadimu.{SECRET}", "kobadimu", SECRET, None),
        (f"https://a.org/#kobadimu.{SECRET}", "kobadimu", SECRET, "wss://a.org/ws"),
        ("http://[::1]:8000/#kobadimu", "kobadimu", None, "ws://[::1]:8000/ws"),
        ("https://a.org/game/kobadimu", "kobadimu", None, "wss://a.org/ws"),
        ("https://a.org/below/game/kobadimu", "kobadimu", None, "wss://a.org/below/ws"),
    ],
)
def test_links_of_both_kinds_lead_to_the_room(
    text: str, room: str, invitation: str | None, server: str | None
) -> None:
    parser = argparse.ArgumentParser()
    parser.set_defaults(server=None)
    add_room(parser)
    named = parser.parse_args([text])
    assert (named.room, named.invitation, named.server) == (room, invitation, server)


@pytest.mark.parametrize(
    "text",
    [
        "Kobadimu",
        "https://a.org/game/17",
        "https://a.org/#",
        "a b",
        "koba.short",
        f"koba.{SECRET}.",
    ],
)
def test_other_texts_are_not_a_room(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    add_room(parser)
    with pytest.raises(SystemExit):
        parser.parse_args([text])
    assert "is not a room" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["", "x" * 25])
def test_a_name_that_no_server_takes_is_wrong_usage(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = argparse.ArgumentParser()
    add_server_options(parser)
    with pytest.raises(SystemExit):
        parser.parse_args(["--name", name])
    assert "is not a name of 1 to 24 characters" in capsys.readouterr().err


def test_the_page_of_a_server_is_beside_its_socket() -> None:
    assert web_address("ws://[::1]:8000/ws") == "http://[::1]:8000"
    assert web_address("wss://a.org/below/ws") == "https://a.org/below"
