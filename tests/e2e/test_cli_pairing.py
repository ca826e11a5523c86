"""How people find each other at terminals."""

from __future__ import annotations

import signal

from support.laptop import Laptop


def test_two_seekers_find_each_other(laptop: Laptop) -> None:
    wanted = ("loose", "--size", "7", "--clock", "11+7")
    lobby = laptop.start("lobby")
    first = laptop.start("seek", *wanted, "--profile", "first")
    first.expect("waiting for an opponent")
    lobby.expect("1 waiting: pierule seek loose --size 7 --clock 11+7")
    status, said = laptop.run("seek", *wanted, "--profile", "second", "--name", "Bea")
    assert status == 0, said
    assert first.end() == 0
    room = said.splitlines()[1]
    lobby.expect(room)
    first.expect(room)
    assert "against Bea" in first.said
    lobby.process.send_signal(signal.SIGINT)
    assert lobby.end() == 130


def test_ctrl_c_ends_a_seek_cleanly(laptop: Laptop) -> None:
    wanted = ("taugo", "--size", "9", "--clock", "12+7")
    first = laptop.start("seek", *wanted)
    first.expect("waiting for an opponent")
    lobby = laptop.start("lobby")
    lobby.expect("taugo --size 9 --clock 12+7")
    first.process.send_signal(signal.SIGINT)
    assert first.end() == 130
    assert "Traceback" not in first.said
    lobby.expect("Nobody is waiting")
    status, said = laptop.run("seek", "taugo", "--size", "99")
    assert (status, "it has" in said) == (1, True)


def test_a_user_challenges_another(laptop: Laptop) -> None:
    status, said = laptop.run("challenge", "id", "--profile", "asked")
    assert status == 0
    own = said.strip()
    asker = laptop.start("challenge", "to", "--id", own, "loose", "--name", "Ada")
    asker.expect("waiting for the answer")
    listed = laptop.start("challenge", "list", "--profile", "asked")
    name = (
        listed.expect("  loose 9, you in a random seat, asked by Ada").splitlines()[-1].split()[0]
    )
    lobby = laptop.start("lobby", "--profile", "asked")
    lobby.expect(f"{name}  loose 9, you in a random seat, asked by Ada")
    lobby.expect(f"pierule challenge decline {name} --profile asked")
    status, said = laptop.run("challenge", "accept", name, "--profile", "asked")
    assert status == 0
    asker.expect(said.splitlines()[0])
    assert asker.end() == 0
    status, said = laptop.run("challenge", "accept", "nonsense", "--profile", "asked")
    assert (status, "there is no such challenge" in said) == (1, True)
    listed.expect(f"{name}  is no longer open")
    again = laptop.start("challenge", "to", "--id", own, "taugo", "--name", "Ada")
    name = listed.expect("  taugo 16, you in a random seat").splitlines()[-1].split()[0]
    lobby.expect(f"{name}  taugo 16")
    again.process.send_signal(signal.SIGINT)
    assert again.end() == 130
    listed.expect(f"{name}  is no longer open")
    lobby.expect(f"decline {name}")
    laptop.new("loose", "--size", "19")
    lobby.expect("loose 19")
    lobby.process.send_signal(signal.SIGINT)
    assert lobby.end() == 130
    assert name not in lobby.said.rpartition("loose 19")[2]
    listed.process.send_signal(signal.SIGINT)
    assert listed.end() == 130


def test_play_names_the_games_if_there_is_no_such_room(laptop: Laptop) -> None:
    status, said = laptop.run("play", "chess")
    assert (status, "there is no room with this id" in said) == (1, True)
    assert "the games here are loose, taugo, veletas" in said
