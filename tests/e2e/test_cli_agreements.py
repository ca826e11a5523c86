"""Manners at the terminal: an invitation, a takeback, a draw, and another game."""

from __future__ import annotations

from support.laptop import Laptop
from support.serving import Serving


def test_a_private_game_with_a_takeback_and_a_rematch(laptop: Laptop, server: Serving) -> None:
    status, said = laptop.run("new", "taugo", "--size", "6", "--private")
    assert status == 0, said
    lines = said.splitlines()
    room, link = lines[0], lines[-1].strip()
    assert link.startswith(f"http://{server.http}/#{room}.")
    assert f"pierule play {link.partition('#')[2]} " in said
    status, refused = laptop.run("watch", room)
    assert (status, "this is not its invitation" in refused) == (1, True)
    assert room not in laptop.run("rooms")[1]
    first = laptop.start("play", link, "--rematch", tty=True)
    first.expect("waiting for a player in seat 1> ")
    second = laptop.start("play", link.partition("#")[2], tty=True)
    watcher = laptop.start("watch", link)
    watcher.expect("Taugo 6")
    fan = laptop.start("watch", link, "--follow", "--name", "Fan", tty=True)
    fan.expect("Taugo 6")
    first.expect("your turn> ")
    first.type("c3\n")
    second.expect("your turn> ")
    first.type("pause\n")
    first.expect("this game has no clock to pause")
    second.type("abrakadabra\n")
    second.expect("not legal")
    first.type("takeback\n")
    second.expect("offers to take back the latest action; type accept or decline")
    second.type("decline\n")
    first.expect("declines to take back the latest action")
    second.type("accept\n")
    second.expect("there is no such offer")
    second.type("white\n")
    second.expect("white> ")
    second.type("takeback\n")
    first.expect("type accept or decline")
    first.type("accept\n")
    second.expect("taken back: the game is at ply 1 again")
    second.expect("your turn> ")
    first.type("draw\n")
    second.expect("offers a draw")
    second.type("rematch\n")
    second.expect("you offer a rematch")
    second.type("draw\n")
    for program in (first, second, watcher, fan):
        program.expect("result: a draw by agreement")
    assert watcher.end() == 0
    for program in (first, second, fan):
        program.expect("The rematch is ")
        program.expect("Taugo 6, room ")
    second.expect("your turn> ")
    second.type("abort\n")
    for program in (first, second, fan):
        program.expect("result: aborted: nobody loses")
    fan.type("say once more?\n")
    fan.expect("Fan (spectators): once more?")
    fan.type("quit\n")
    assert fan.end() == 0


def test_chat_continues_while_a_rematch_is_offered(laptop: Laptop) -> None:
    room = laptop.new("loose", "--size", "5")
    first = laptop.start("play", room, "--rematch", "--name", "Ada", tty=True)
    first.expect("waiting for a player in seat 1> ")
    second = laptop.start("play", room, "--name", "Bob", tty=True)
    first.expect("your turn> ")
    for answer in ("accept", "decline"):
        first.type("resign\n")
        first.expect("once more")
        first.type("resign\n")
        for program in (first, second):
            program.expect("result: ")
        second.expect("Ada offers a rematch; type accept or decline")
        second.type("say good game\n")
        first.expect("Bob (players): good game")
        first.type("say thanks\n")
        second.expect("Ada (players): thanks")
        second.type(f"{answer}\n")
        if answer == "accept":
            for program in (first, second):
                program.expect("The rematch is ")
                program.expect("Loose 5, room ")
    first.expect("Bob declines a rematch")
    first.type("rematch\n")
    second.type("say no, I have to go\n")
    first.expect("Bob (players): no, I have to go")
    for program in (first, second):
        program.type("quit\n")
        assert program.end() == 0
