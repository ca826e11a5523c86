"""Chat at the terminal: what one types, who reads it and when, muting and reporting."""

from __future__ import annotations

from support.laptop import Laptop
from support.serving import Serving


def test_two_players_and_two_spectators_talk(laptop: Laptop, server: Serving) -> None:
    status, said = laptop.run("new", "loose", "--size", "5")
    assert status == 0, said
    room = said.splitlines()[0]
    first = laptop.start("play", room, "--name", "Ada", tty=True)
    first.expect("waiting for a player in seat 1> ")
    second = laptop.start("play", room, "--name", "Bob", tty=True)
    eve = laptop.start("watch", room, "--name", "Eve", tty=True)
    sam = laptop.start("watch", room, "--name", "Sam", tty=True)
    for watcher in (eve, sam):
        watcher.expect("Loose 5")
    first.expect("your turn> ")
    first.type("say good luck, Bob!\n")
    second.expect("[1] Ada (players): good luck, Bob!")
    second.type("say thanks\n")
    first.expect("[2] Bob (players): thanks")
    eve.type("say White should pass\n")
    sam.expect("[1] Eve (spectators): White should pass")
    sam.type("report 1 spoils the game\n")
    sam.expect("message 1 was reported")
    sam.type("mute Eve\n")
    sam.expect("you no longer see messages from Eve")
    sam.type("mute Nobody\n")
    sam.expect("nobody here is called Nobody")
    sam.type("e5\n")
    sam.expect("as a spectator you can type: say TEXT")
    eve.type("say psst\n")
    eve.expect("[2] Eve (spectators): psst")
    sam.type("say hm\n")
    eve.expect("[3] Sam (spectators): hm")
    sam.type("hear Eve\n")
    sam.expect("you see messages from Eve")
    eve.type("say hello again\n")
    sam.expect("Eve (spectators): hello again")
    first.type("report 9\n")
    first.expect("which message?")
    status, told = laptop.run("admin", "reports", "list", "--data", str(server.data))
    assert status == 0, told
    assert "White should pass" in told
    assert "spoils the game" in told
    status, told = laptop.run("admin", "announce", "a break", "--in", "5m", "--data",
                              str(server.data))  # fmt: skip
    assert status == 0, told
    for program in (first, second, eve, sam):
        program.expect("the operators: a break (at ")
    for player in (first, second):
        assert "pass" not in player.said.partition("good luck")[2].split("result")[0]
    first.type("resign\n")
    first.expect("once more")
    first.type("resign\n")
    for program in (first, second, eve, sam):
        program.expect("result: ")
    first.type("say good game\n")
    second.expect("Ada (players): good game")
    first.type("c3\n")
    first.expect("Bob wins")
    second.type("say and you\n")
    first.expect("Bob (players): and you")
    for player in (first, second):
        player.type("quit\n")
    for program in (first, second, eve, sam):
        assert program.process.wait(60) == 0
    assert "psst" not in sam.said
