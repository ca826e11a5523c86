"""Lists of the archive resume by themselves, and refusals say what the archive said."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from pierule import archive
from pierule.archive import Archive, ArchiveError

LINES = 40


@contextmanager
def broken_server(cut: int, faults: list[tuple[int, dict[str, str]]]) -> Iterator[tuple[str, Any]]:
    """A server whose streams break off amid a line after so many; first it answers with faults."""
    asked: list[dict[str, list[str]]] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            query = parse_qs(urlsplit(self.path).query)
            asked.append(query)
            if faults:
                status, headers = faults.pop(0)
                body = json.dumps({"detail": "in words", "code": "a_code"}).encode()
                self.send_response(status)
                for name, text in headers.items():
                    self.send_header(name, text)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                return
            first = int(query.get("after", ["0"])[0]) + 1
            until = min(LINES, first + int(query.get("limit", ["99"])[0]) - 1)
            lines = [b'{"cursor": "%d"}\n' % n for n in range(first, until + 1)]
            self.send_response(200)
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            whole = len(lines) <= cut
            said = b"".join(lines) if whole else b"".join(lines[:cut]) + lines[cut][:5]
            packed = gzip.compress(said)
            packed = packed if whole else packed[:-8]  # the data, without the end of the stream
            self.wfile.write(b"%x\r\n%b\r\n" % (len(packed), packed))
            if whole:
                self.wfile.write(b"0\r\n\r\n")
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join(60)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "retry_delay", lambda *_: 0.0)


@pytest.mark.parametrize("cut", [1, 3, 7, 39, 40])
def test_a_list_goes_on_where_it_was_cut(cut: int) -> None:
    with broken_server(cut, []) as (url, asked):
        found = [line["cursor"] for line in Archive(url).games(game="loose", rated=True)]
    assert found == [str(number) for number in range(1, LINES + 1)]
    assert len(asked) == -(-LINES // cut)
    assert all(query["game"] == ["loose"] and query["rated"] == ["true"] for query in asked)


@pytest.mark.parametrize("cut", [2, 40])
def test_a_limit_counts_over_all_streams(cut: int) -> None:
    with broken_server(cut, []) as (url, _):
        found = [line["cursor"] for line in Archive(url).games(after="5", limit=9)]
    assert found == [str(number) for number in range(6, 15)]


def test_temporary_failures_are_tried_again() -> None:
    with broken_server(40, [(503, {"Retry-After": "0"}), (429, {}), (502, {})]) as (url, asked):
        assert len(list(Archive(url).games_of("Ada"))) == LINES
        assert len(asked) == 4


def test_a_refusal_has_the_text_of_the_archive() -> None:
    with (
        broken_server(40, [(404, {})]) as (url, asked),
        pytest.raises(ArchiveError, match="in words") as caught,
    ):
        Archive(url).game("nosuchroom")
    assert (caught.value.status, caught.value.code, len(asked)) == (404, "a_code", 1)


def test_cuts_and_positions_are_asked_for_by_their_path() -> None:
    with broken_server(40, [(404, {}), (404, {})]) as (url, asked):
        with pytest.raises(ArchiveError):
            Archive(url).cuts("loose", size=9, bot=False)
        with pytest.raises(ArchiveError):
            Archive(url).position("loose", ["komi:7", "black"])
        assert asked == [{"size": ["9"], "bot": ["false"]}, {"actions": ["komi:7 black"]}]


def test_an_archive_that_does_not_answer_is_given_up() -> None:
    with broken_server(40, [(503, {})] * archive.TRIES) as (url, asked):
        with pytest.raises(ArchiveError, match="in words"):
            list(Archive(url).games())
        assert len(asked) == archive.TRIES
    with broken_server(40, [(503, {})] * 2) as (url, asked):
        with pytest.raises(ArchiveError, match="in words"):
            Archive(url, tries=2).top("loose")
        assert len(asked) == 2


def test_a_missing_archive_is_named_with_its_address() -> None:
    for url in ("http://127.0.0.1:9", "http://127.0.0.1:9/api/v1"):
        with pytest.raises(ArchiveError) as caught:
            Archive(url, tries=1).player("Ada")
        assert str(caught.value) == (
            "the archive at http://127.0.0.1:9 does not answer: Connection refused"
        )


def test_an_answer_that_is_no_archives_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "_read", lambda _: [b"<!doctype html>\n"])
    with broken_server(40, []) as (url, asked):
        with pytest.raises(ArchiveError, match="not the answer of an archive"):
            Archive(url).game("bumatodi")
        with pytest.raises(ArchiveError, match="not the answer of an archive"):
            list(Archive(url).games())
        assert len(asked) == 2


def test_an_address_that_is_not_http_is_refused() -> None:
    with pytest.raises(ValueError, match="is not an http:// or"):
        Archive("ws://127.0.0.1/ws")


def test_evaluations_come_page_by_page(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []

    def single(_: Archive, path: str, query: dict[str, Any]) -> dict[str, Any]:
        assert path == "evaluations/loose"
        asked.append(query)
        first = query["first"]
        positions = [{"ply": ply} for ply in range(first, min(first + 2, 5))]
        return {"positions": positions, "next": first + 2 if first + 2 < 5 else None}

    monkeypatch.setattr(Archive, "_single", single)
    found = Archive("http://there").evaluations("loose", ["komi:2", "black"], first=1, size=5)
    assert [each["ply"] for each in found] == [1, 2, 3, 4]
    line = {"actions": "komi:2 black", "size": 5}
    assert asked == [line | {"first": 1}, line | {"first": 3}]
