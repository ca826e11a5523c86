"""The built page: what is served, how it is kept, and that nothing else can be reached."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from pierule_protocol.games.writing import documents
from pierule_server.gateway.page import BUILT, SECURITY, Page, game_files

INDEX = b"<!doctype html><title>Pierule</title>"
SCRIPT = b"console.log(1);" * 50


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page as the build leaves it, and a secret beside it."""
    built = tmp_path_factory.mktemp("site") / "page"
    (built / "assets").mkdir(parents=True)
    (built / "index.html").write_bytes(INDEX)
    script = built / "assets" / "index-a1B2c3D4.js"
    script.write_bytes(SCRIPT)
    script.with_name(f"{script.name}.gz").write_bytes(gzip.compress(SCRIPT))
    script.with_name(f"{script.name}.br").write_bytes(b"brotli")
    (built.parent / "secret.txt").write_text("secret")
    return built


@pytest.fixture(scope="module")
def page(folder: Path) -> Page:
    return Page(folder)


def ask(page: Page, path: str, **headers: str) -> Response | None:
    named = Headers({name.replace("_", "-"): value for name, value in headers.items()})
    return page.answer(path, Request(path, named))


def found(page: Page, path: str, **headers: str) -> Response:
    response = ask(page, path, **headers)
    assert response is not None
    return response


SCRIPT_PATH = "/assets/index-a1B2c3D4.js"


def test_the_page_one_folder_down_refers_to_files_one_folder_up(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text('<script src="./assets/index.js"></script>')
    below = Page(tmp_path).below(Request("/game/x", Headers()))
    assert below is not None
    assert (below.status_code, below.body) == (200, b'<script src="../assets/index.js"></script>')
    assert below.headers["Cache-Control"] == "no-cache"
    known = Headers({"If-None-Match": below.headers["ETag"]})
    again = Page(tmp_path).below(Request("/game/x", known))
    assert again is not None
    assert again.status_code == 304


def test_without_a_built_page_there_is_none_one_folder_down(tmp_path: Path) -> None:
    assert Page(tmp_path).below(Request("/game/x", Headers())) is None


def test_the_root_serves_the_index(page: Page) -> None:
    for path in ("/", "/index.html"):
        response = found(page, path)
        assert (response.status_code, response.body) == (200, INDEX)
        assert response.headers["Content-Type"] == "text/html; charset=utf-8"
        assert response.headers["Cache-Control"] == "no-cache"


def test_files_with_a_hash_in_their_name_are_immutable(page: Page) -> None:
    response = found(page, SCRIPT_PATH)
    assert "immutable" in response.headers["Cache-Control"]
    assert response.headers["Content-Type"] == "text/javascript; charset=utf-8"


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("", None),
        ("identity", None),
        ("gzip", "gzip"),
        ("gzip, deflate, br", "br"),
        ("GZIP;q=0.5", "gzip"),
        ("br;q=0, gzip", "gzip"),
        ("br;q=0.0", None),
    ],
)
def test_files_are_compressed_as_the_browser_accepts(
    page: Page, accepted: str, encoding: str | None
) -> None:
    response = found(page, SCRIPT_PATH, Accept_Encoding=accepted)
    assert response.headers.get("Content-Encoding") == encoding
    body = gzip.decompress(response.body) if encoding == "gzip" else response.body
    assert body == (b"brotli" if encoding == "br" else SCRIPT)
    assert response.headers["Content-Length"] == str(len(response.body))
    assert response.headers["Vary"] == "Accept-Encoding"


@pytest.mark.parametrize(("others", "encoding"), [(100, "br"), (4_000, None)])
def test_an_endless_list_of_encodings_is_not_read(
    page: Page, others: int, encoding: str | None
) -> None:
    accepted = "br," + "a," * others
    response = found(page, SCRIPT_PATH, Accept_Encoding=accepted)
    assert response.headers.get("Content-Encoding") == encoding


def test_an_unchanged_file_is_answered_with_304(page: Page) -> None:
    tag = found(page, SCRIPT_PATH).headers["ETag"]
    assert tag != found(page, "/").headers["ETag"]
    for told in (tag, f'"other", W/{tag}'):
        response = found(page, SCRIPT_PATH, If_None_Match=told)
        assert (response.status_code, response.body) == (304, b"")
    assert found(page, SCRIPT_PATH, If_None_Match='"other"').status_code == 200


def test_the_content_security_policy_allows_nothing_unsafe() -> None:
    policy = SECURITY["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


@given(
    path=st.lists(
        st.sampled_from(
            [
                "..",
                ".",
                "",
                "%2e%2e",
                "assets",
                "secret.txt",
                "index.html",
                "\\",
                "index-a1B2c3D4.js",
                "index-a1B2c3D4.js.br",
            ]
        )
    )
)
def test_no_path_leads_outside_the_folder_of_the_page(page: Page, path: list[str]) -> None:
    known = {"", "index.html", "assets/index-a1B2c3D4.js"}
    response = ask(page, "/" + "/".join(path))
    assert (response is not None) == ("/".join(path) in known)


def test_without_a_build_no_page_is_served(tmp_path: Path) -> None:
    assert ask(Page(tmp_path / "nothing"), "/") is None


def test_a_file_of_an_unknown_kind_is_a_fault_of_the_build(tmp_path: Path) -> None:
    (tmp_path / "page.exe").touch()
    with pytest.raises(ValueError, match=r"page\.exe"):
        Page(tmp_path)


def test_documents_of_games_are_immutable_files(folder: Path) -> None:
    page = Page(folder, game_files(documents()))
    document = documents()["loose"]
    for written in (document, document.lessons):
        assert written is not None
        path = f"/games/loose/{written.hash}.json"
        response = found(page, path)
        assert (response.status_code, response.body.decode()) == (200, written.text)
        assert response.headers["Content-Type"] == "application/json"
        assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert response.headers["Access-Control-Allow-Origin"] == "*"
        packed = found(page, path, Accept_Encoding="gzip")
        assert gzip.decompress(packed.body).decode() == written.text
    assert ask(page, f"/games/loose/{'0' * 32}.json") is None


MOST = 100_000
"""The most bytes that a first visit loads."""


def test_a_first_visit_loads_less_than_the_limit() -> None:
    """The page as it was built, and the documents that its first screen draws; lessons, other
    languages and the other screens come when somebody wants them."""
    assert (BUILT / "index.html").exists(), "the page is not built: make page"
    page = Page(more=game_files(documents()))
    names = re.findall(
        r'(?:src|href)="\./([^"]+\.(?:js|css|svg|png))"', (BUILT / "index.html").read_text()
    )
    paths = ["/", *(f"/{name}" for name in names)]
    paths += [f"/games/{game}/{written.hash}.json" for game, written in documents().items()]
    sizes = {path: len(found(page, path, Accept_Encoding="gzip").body) for path in paths}
    assert any(path.endswith(".js") for path in sizes)
    assert sum(sizes.values()) <= MOST, sizes
