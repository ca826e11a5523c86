"""The widgets of a room, without a room."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from pierule_terminal.fullscreen.widgets import Line

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
