"""The widgets of a room, without a room."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from pierule_terminal.fullscreen.widgets import KEYS, SCROLL_BAR, Help, Line, hanging

WIDTH = 40


class Host(App[None]):
    """Shows two lines, one below the other."""

    CSS = "Line { height: auto; }"

    def compose(self) -> ComposeResult:
        yield Line(id="one")
        yield Line("below", id="other")

    @property
    def text(self) -> list[str]:
        strips = self.screen._compositor.render_strips()
        return [text for strip in strips if (text := strip.text.rstrip())]


@pytest.mark.parametrize(
    ("before", "after", "anew"),
    [
        ("c3: Enter sends it", "d4: Enter sends it", False),
        ("same", "same", False),
        ("short", "s" * WIDTH, False),
        ("short", "s" * (WIDTH + 1), True),
        ("한" * (WIDTH // 2), "한" * (WIDTH // 2 + 1), True),
        ("one", "one\ntwo", True),
        ("one\ntwo", "one", True),
        ("", "one", True),
        ("one", "", True),
    ],
)
async def test_the_screen_is_laid_out_anew_only_for_a_text_of_another_height(
    before: str, after: str, anew: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Host().run_test(size=(WIDTH, 8)) as pilot:
        line = pilot.app.query_one("#one", Line)
        line.show(before)
        await pilot.pause()
        laid: list[bool] = []
        refresh = line.refresh

        def noted(*regions: object, layout: bool = False, **how: bool) -> object:
            laid.append(layout)
            return refresh(layout=layout, **how)

        monkeypatch.setattr(line, "refresh", noted)
        line.show(after)
        assert any(laid) == anew
        assert bool(laid) == (before != after)
        await pilot.pause()
        shown = "".join(pilot.app.text[:-1])  # type: ignore[attr-defined]
        assert shown == after.replace("\n", "")
        assert pilot.app.text[-1] == "below"  # type: ignore[attr-defined]


def test_a_help_line_that_is_too_long_goes_on_below_its_text() -> None:
    assert hanging("  say TEXT   write to the other player", 26) == [
        "  say TEXT   write to the",
        "             other player",
    ]
    assert hanging("             and on below it", 22) == [
        "             and on",
        " " * 11 + "below it",
    ]
    assert hanging("\x1b[1mcolored line\x1b[0m", 5) == ["\x1b[1mcolored line\x1b[0m"]


async def test_the_help_is_wrapped_for_the_terminal() -> None:
    host = Host()
    async with host.run_test(size=(80, 60)) as pilot:
        host.push_screen(Help([KEYS]))
        await pilot.pause()
        assert host.text[:2] == KEYS.split("\n")[:2]
        assert all(len(line) <= 80 - SCROLL_BAR for line in KEYS.split("\n"))
        await pilot.resize_terminal(WIDTH, 60)
        await pilot.pause()
        assert host.text[0] == "arrows, mouse  move the cursor; Enter,"
        assert host.text[1] == "               Space or a click picks"
