"""The whole terminal as its user has it: the real app against a real server, by keys and mouse."""

from __future__ import annotations

import asyncio
import re
from functools import partial

import pytest
from textual.geometry import Offset

import pierule
from e2e.conftest import Starter
from pierule_terminal.fullscreen.draft import Number
from pierule_terminal.fullscreen.widgets import Actions, Board, Help
from support.games import game
from support.proxy import proxied
from support.seated import alone, seated, two
from support.serving import Serving

BOUND = 60.0
KEYS = f"k1:{'1f' * 32}"


@pytest.mark.parametrize(("name", "size"), [("loose", 5), ("veletas", 7), ("taugo", 6)])
async def test_a_whole_game_is_played_by_keys(server: Serving, name: str, size: int) -> None:
    of = game(name, size)
    async with alone(server, name, size) as (client, room), seated(client, room) as ada:
        for turn, action in enumerate(of.actions):
            await ada.until_turn(turn)
            assert room.id in ada.text
            assert "connected" in ada.text
            segment = name == "taugo" and "-" in action
            await ada.play(action, backwards=segment and turn % 2 == 0)
        await ada.until(lambda: ada.controller.view.state.status == "over")
        view = ada.controller.view
        assert view.state.actions == of.actions
        assert list(view.state.position.cells) == of.cells
        assert of.actions[-1] in ada.text
        await ada.until(lambda: ada.controller.view.account is not None)
        assert "A draw" in ada.text if of.result["winner"] == "draw" else " wins" in ada.text


async def test_the_mouse_plays_and_refusals_are_explained(server: Serving) -> None:
    async with alone(server, "loose", 5) as (client, room), seated(client, room) as ada:
        await ada.until(lambda: isinstance(ada.controller.view.draft, Number))
        await ada.pilot.press("up", "up", "up", "down", "enter")
        await ada.until_turn(1)
        assert ada.controller.view.state.actions == ["komi:4"]
        assert "b for Black" in ada.text
        await ada.pilot.press("b")
        await ada.until_drafted("black")
        await ada.pilot.press("b")
        await ada.until_turn(2)
        for point in ("c2", "d3"):  # the second moves the stone
            await ada.click(point)
            await ada.until_drafted(point)
        await ada.click("d3")
        await ada.until_turn(3)
        assert ada.controller.view.state.actions[-1] == "d3"
        assert "[●]" in ada.text or "<●>" in ada.text
        await ada.pilot.press("enter")
        await ada.until(lambda: "not legal" in ada.controller.view.message)
        assert "not legal: d3 is not empty" in ada.text
        assert ada.controller.view.state.turn == 3
        assert await ada.pilot.click(Actions, offset=(3, 0))
        await ada.until(lambda: ada.controller.view.past is not None)
        assert "Ply 1 of 3" in ada.text


async def test_changes_beside_an_action_are_announced(server: Serving) -> None:
    async with alone(server, "loose", 5) as (client, room), seated(client, room) as ada:
        for turn, action in enumerate(["komi:2", "black", "b1", "a1", "a2"]):
            await ada.until_turn(turn)
            await ada.play(action)
        await ada.until(lambda: "Changed color: a1." in ada.controller.view.message)
        assert "Changed color: a1." in ada.text


async def test_an_unsent_draft_can_be_undone(server: Serving) -> None:
    async with alone(server, "veletas", 7) as (client, room), seated(client, room) as ada:
        await ada.until_turn(0)
        await ada.go_to("a1")
        await ada.pilot.press("enter")
        await ada.until(lambda: "not legal: a1 is on the outermost ring" in ada.text)
        await ada.go_to("d4")
        await ada.pilot.press("enter")
        await ada.until(lambda: ada.controller.view.draft.text == "d4")  # type: ignore[union-attr]
        assert "Now tap a square for the black stone" in ada.text
        assert " x" in ada.text
        await ada.pilot.press("escape")
        await ada.until(lambda: ada.controller.view.draft.text == "")  # type: ignore[union-attr]
        await ada.play("d4/a1")
        await ada.until_turn(1)
        await ada.play("white")
        await ada.until_turn(2)
        await ada.play("b2,c3/g7")
        await ada.until_turn(3)
        await ada.go_to("d4")
        await ada.pilot.press("enter")
        await ada.until(lambda: ada.controller.view.draft.text == "d4")  # type: ignore[union-attr]
        await ada.go_to("d6")
        await ada.pilot.press("enter")
        await ada.until(lambda: ada.controller.view.draft.text == "d4-d6")  # type: ignore[union-attr]
        assert "(▲)" in ada.text
        await ada.pilot.press("escape")
        await ada.until(lambda: ada.controller.view.draft.text == "d4")  # type: ignore[union-attr]
        await ada.pilot.press("escape")
        await ada.until(lambda: ada.controller.view.draft.text == "")  # type: ignore[union-attr]
        assert ada.controller.view.state.turn == 3


async def test_changing_the_draft_of_a_cut_sends_nothing(server: Serving) -> None:
    async with alone(server, "veletas", 7) as (client, room), seated(client, room) as ada:
        await ada.until_turn(0)
        for point, text in (("c3", "c3"), ("e4", "c3/e4"), ("d5", "c3/d5")):
            await ada.click(point)
            await ada.until_drafted(text)
        await ada.pilot.pause()
        assert "c3/d5: Enter sends it" in ada.text
        await ada.pilot.press("s")
        await ada.until_turn(1)
        assert ada.controller.view.state.actions == ["c3/d5"]


async def test_without_confirmation_the_last_point_sends_the_action(server: Serving) -> None:
    async with (
        alone(server, "veletas", 7) as (client, room),
        seated(client, room, confirms=False) as ada,
    ):
        await ada.until_turn(0)
        for point in ("c3", "e4"):
            await ada.click(point)
            await ada.pilot.pause()
        await ada.until_turn(1)
        await ada.pilot.press("b")
        await ada.until_turn(2)
        assert ada.controller.view.state.actions == ["c3/e4", "black"]


async def test_names_are_shown_before_clocks_in_a_small_terminal(server: Serving) -> None:
    async with (
        two(server, "loose", 9, "5+3") as (client, room, _),
        seated(client, room, size=(40, 20)) as ada,
    ):
        await ada.until_turn(0)
        lines = ada.text.splitlines()
        for name in ("Ada (you)", "Bert"):
            at = next(i for i, line in enumerate(lines) if name in line)
            assert re.search(r"seat \d  \d:\d\d", lines[at + 1])


async def test_the_board_fits_every_size_of_terminal(server: Serving) -> None:
    async with alone(server, "loose", 19) as (client, room), seated(client, room) as ada:
        await ada.until_turn(0)
        assert all(f"\n {row:>2} " in f"\n{ada.text}" for row in range(1, 20))
        assert "a b c d e f g h i j k l m n o p q r s" in ada.text
        assert f"room {room.id}" in ada.text
        await ada.pilot.press("enter")
        await ada.until_turn(1)
        for width, height in ((40, 12), (120, 40), (80, 24)):
            await ada.pilot.resize_terminal(width, height)
            for corner in ("a1", "s19"):
                await ada.go_to(corner)
                await ada.pilot.pause()
                field = ada.app.query_one("#field").content_region
                spot = ada.app.query_one(Board).region.offset + Offset(*ada.spot(corner))
                assert field.contains_point(spot)


async def test_offers_and_a_rematch_are_made_by_keys(server: Serving) -> None:
    async with two(server, "taugo", 6) as (client, room, bert), seated(client, room) as ada:
        await ada.until_turn(0)
        await ada.play("c3")
        await ada.until(lambda: ada.controller.view.state.turn == 1)
        await bert.act("white")
        await ada.pilot.press("t")
        await ada.until(lambda: ada.controller.view.state.offers[0] == "takeback")
        assert "u: offers to take back the latest action" in ada.text
        await ada.pilot.press("u")
        await ada.until(lambda: ada.controller.view.state.offers[0] is None)
        await bert.offer("takeback")
        await ada.until(lambda: ada.controller.view.state.offers[1] == "takeback")
        assert "y or n: offers to take back the latest action" in ada.text
        assert "y accepts, n declines" in ada.text
        await ada.pilot.press("y")
        await ada.until(lambda: ada.controller.view.state.ply == 1)
        await bert.act("black")
        await bert.offer("draw")
        await ada.until(lambda: ada.controller.view.state.offers[1] == "draw")
        await ada.pilot.press("n")
        await ada.until(lambda: "declines" in ada.controller.view.message)
        await ada.pilot.press("n")
        await ada.until(lambda: "there is no such offer" in ada.controller.view.message)
        await ada.pilot.press("R", "t")
        await ada.until(lambda: ada.controller.view.state.offers[0] == "takeback")
        await ada.pilot.press("u")
        await ada.until(lambda: ada.controller.view.state.offers[0] is None)
        await ada.pilot.press("R")
        assert "resign once more" in ada.text
        assert not room.over
        await ada.pilot.press("escape", "R")
        assert not room.over
        await ada.pilot.press("R")
        await ada.until(lambda: ada.controller.view.state.status == "over")
        assert "Bert (Black) wins" in ada.text
        await bert.offer("rematch")
        await ada.until(lambda: ada.controller.view.state.offers[1] == "rematch")
        await ada.pilot.press("m")
        await ada.until(lambda: ada.controller.view.state.rematch_of == room.id)
        assert ada.controller.room.seats == [1]
        await ada.pilot.press("colon", *"abort", "enter", "colon", *"abort", "enter")
        await ada.until(lambda: ada.controller.view.state.status == "over")
        assert "aborted" in ada.text


async def test_the_option_rematch_offers_one_after_each_game(server: Serving) -> None:
    async with (
        pierule.connect(server.url, name="Ada") as client,
        pierule.connect(server.url, name="Bert") as other,
    ):
        room = await client.create("loose", 5, seat=0)
        bert = await other.join(room.id, seat=1)
        async with seated(client, room, rematch=True) as ada:
            for _ in range(2):
                await bert.resign()
                await ada.until(lambda: ada.controller.view.state.offers != (None, None))
                assert "resigned; m for a rematch" in ada.text
                await bert.accept("rematch")
                following = await bert.rematch()
                assert following is not None
                bert = await other.join(following)
                await ada.until(lambda room=following: ada.controller.view.state.room == room)  # type: ignore[misc]


async def test_a_spectator_who_follows_sees_each_rematch(server: Serving) -> None:
    async with (
        pierule.connect(server.url, name="Ada") as client,
        pierule.connect(server.url, name="Bert") as other,
        pierule.connect(server.url, name="Carl") as carl,
    ):
        ada = await client.create("loose", 5, seat=0)
        bert = await other.join(ada.id, seat=1)
        async with seated(carl, await carl.join(ada.id), follow=True) as looking:
            for _ in range(2):
                await ada.resign()
                await ada.offer("rematch")
                await bert.accept("rematch")
                following = await ada.rematch()
                assert following is not None
                ada, bert = await client.join(following), await other.join(following)
                shown = partial(lambda room: looking.controller.view.state.room == room, following)
                await looking.until(shown)
                await looking.until(lambda room=following: f"room {room}" in looking.text)  # type: ignore[misc]


async def test_chat_messages_are_shown_and_typed(server: Serving) -> None:
    async with two(server, "loose", 5) as (client, room, bert), seated(client, room) as ada:
        await ada.until_turn(0)
        await bert.say("have fun")
        await ada.until(lambda: "Bert (players): have fun" in ada.controller.view.message)
        assert "have fun" in ada.text
        await ada.pilot.press("colon", *"say", "space", *"you", "enter")
        await ada.until(lambda: "Ada (players): you" in ada.controller.view.message)
        await bert.resign()
        await ada.until(lambda: ada.controller.view.state.status == "over")
        await bert.say("good game")
        await ada.until(lambda: "Bert (players): good game" in ada.text)
        await ada.pilot.press("colon", *"say", "space", *"bye", "enter")
        await ada.until(lambda: "Ada (players): bye" in ada.text)


async def test_a_claim_can_be_typed(server: Serving) -> None:
    async with two(server, "loose", 5) as (client, room, _), seated(client, room) as ada:
        await ada.until_turn(0)
        await ada.pilot.press("colon", *"claim", "enter")
        await ada.until(lambda: "the other player may come back" in ada.controller.view.message)


@pytest.mark.long(32)
async def test_the_game_of_an_absent_player_is_claimed_by_keys(server: Serving) -> None:
    async with pierule.connect(server.url, name="Ada") as client:
        room = await client.create("loose", 5, seat=0, clock="5+3")
        async with pierule.connect(server.url, name="Bert") as other:
            await other.join(room.id, seat=1)
        async with seated(client, room) as ada:
            await ada.until(lambda: "the game may be claimed" in ada.controller.view.message)
            assert re.search(r"is gone, (0:\d\d|\d\.\d) to come back", ada.text)
            await ada.pilot.press("C", "C")
            await ada.until(lambda: "the other player may come back" in ada.controller.view.message)
            await ada.until(lambda: "C claims the win" in ada.controller.view.message, 60)
            assert "is gone for too long" in ada.text
            await ada.pilot.press("C")
            assert "claim once more" in ada.text
            assert not room.over
            await ada.pilot.press("C")
            await ada.until(lambda: ada.controller.view.state.status == "over")
            assert "Ada wins: Bert left" in ada.text


async def test_past_positions_are_shown_while_the_game_goes_on(server: Serving) -> None:
    of = game("taugo", 6)
    async with two(server, "taugo", 6) as (client, room, bert), seated(client, room) as ada:
        for turn, action in enumerate(of.actions[:8]):
            player = room if of.positions[turn].to_act == 0 else bert
            await ada.until(lambda turn=turn: ada.controller.view.state.turn == turn)  # type: ignore[misc]
            await player.act(action)
            if turn == 4:
                await ada.until(lambda: ada.controller.view.state.turn == 5)
                await ada.pilot.press("comma", "comma")
        await ada.until(lambda: ada.controller.view.state.turn == 8)
        assert ada.controller.view.shown.ply == 3
        assert "Ply 3 of 8" in ada.text
        shown = ada.controller.view.shown.position
        assert list(shown.cells) == list(of.positions[3].cells)
        await ada.pilot.press("enter")
        assert "This is the past" in ada.text
        await ada.pilot.press("home")
        assert ada.controller.view.shown.ply == 0
        await ada.pilot.press("full_stop", "end")
        assert ada.controller.view.past is None
        assert ada.controller.view.shown.ply == 8


async def test_a_spectator_sees_presence_and_is_led_to_the_rematch(server: Serving) -> None:
    async with (
        pierule.connect(server.url, name="Carl") as carl,
        two(server, "loose", 5) as (client, _, bert),
    ):
        watched = await carl.join(bert.id)
        async with seated(carl, watched) as looking:
            await looking.pilot.press("enter")
            await looking.until(lambda: "Ada is to act" in looking.controller.view.message)
            await looking.until(lambda: "1 watching" in looking.text)
            await looking.until(lambda: "is not connected" not in looking.text)
            await bert.resign()
            await bert.offer("rematch")
            await (await client.join(bert.id)).accept("rematch")
            await looking.until(lambda: "m goes on" in looking.controller.view.message)
            await looking.pilot.press("m")
            await looking.until(lambda: looking.controller.view.state.rematch_of == bert.id)
            await client.join(looking.controller.room.id)
            await looking.pilot.press("question_mark")
            assert isinstance(looking.app.screen, Help)
            assert "offer a takeback" in looking.text
            await looking.pilot.press("escape")
            assert not isinstance(looking.app.screen, Help)


async def test_clocks_run_and_warn_at_ten_seconds(server: Serving) -> None:
    async with two(server, "loose", 5, "14s+0") as (client, room, _), seated(client, room) as ada:
        faces: list[str] = []
        async with asyncio.timeout(BOUND):
            while len(faces) < 11:
                await ada.pilot.pause(0.05)
                found = re.search(r"seat 0 +(\d+[.:]\d+)", ada.text)
                assert found
                if found[1] not in faces:
                    faces.append(found[1])
        assert faces[-1] < faces[-2] < faces[-3] < "9.9"
        await ada.until(lambda: "You have 10 seconds left" in ada.text)


async def test_the_screen_survives_a_killed_node(start: Starter) -> None:
    first = start(keys=KEYS)
    second = start(store=first.store_url, keys=KEYS)
    async with pierule.connect([first.url, second.url], name="Ada") as client:
        room = await client.create("loose", 5, seat=0)
        await client.join(room.id, seat=1)
        async with seated(client, room) as ada:
            client._session.listeners.append(ada.controller.heard)
            await ada.until_turn(0)
            first.kill()
            await ada.until(lambda: False in ada.connected)
            await ada.pilot.press("up", "up", "enter")
            await ada.until(lambda: ada.controller.view.connected)
            await ada.until_turn(1)
            assert "connected" in ada.text
            assert ada.controller.view.state.actions == ["komi:4"]


async def test_compensated_lag_is_shown_with_the_action(server: Serving) -> None:
    host, _, port = server.http.partition(":")
    async with (
        proxied(int(port), host) as proxy,
        pierule.connect(server.url, name="Ada") as ada,
        pierule.connect(f"ws://127.0.0.1:{proxy.port}/ws", name="Bert") as bert,
    ):
        room = await ada.create("loose", 5, seat=0, clock="10+2")
        slow = await bert.join(room.id, seat=1)
        proxy.delay["down"] = 0.3
        async with seated(ada, room) as terminal:
            await room.act("komi:4")
            async for _ in slow.turns():
                break
            await slow.legal()  # which is answered behind the ping of the turn
            await slow.act("black")
            await terminal.until(lambda: terminal.controller.view.state.turn == 2)
            async with asyncio.timeout(BOUND):  # what is known is drawn a moment later
                while not re.search(r"> +2 +black +\+\d\.\d s for lag", terminal.text):
                    await terminal.pilot.pause(0.02)
