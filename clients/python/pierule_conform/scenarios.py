"""The scenarios of `pierule conform client`: what networks and servers do to a client, as data.

Each begins with the room's first events and the client's join. It ends when the room is over,
unless its last step says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus

from pierule_conform.acts import Acts, Answers
from pierule_conform.contract import Task
from pierule_conform.expectations import (
    Closes,
    Connected,
    Ends,
    GivesUp,
    Hesitates,
    Joined,
    JoinsFromHere,
    Keeps,
    PutOff,
    Rejoins,
    Reported,
    Reports,
    Returns,
    ShutOut,
    Stays,
    Step,
    TriesAgain,
    Trusts,
    Waits,
    WhereToldTo,
)
from pierule_conform.scripted import Refusal
from pierule_conform.steps import (
    Again,
    Cut,
    Hampers,
    Happens,
    Holds,
    Loses,
    Refuses,
    Says,
    Sets,
    Shows,
    Silence,
    Strays,
)
from pierule_conform.truth import RIVAL, ROOM, Truth
from pierule_protocol.log.events import Holder
from pierule_protocol.messages import Seat

FINAL = (1000, 4003, 4005)
"""Close codes that forbid reconnecting: those that clients forget most easily."""
PING_SECONDS = 20
"""The welcome's `ping_seconds` in scenarios that do not test silence."""

LINES: dict[str, tuple[int, str]] = {
    "loose": (5, "komi:14 white b4 e4 b1 d4 c2 e5 d3 d2"),
    "taugo": (6, "c5 white e5 c2 d2 c4 e3 d5 e4 d3 b3 b2 d4 c3 b4-c4 b5"),
    "veletas": (7, "f4/a1 white c3,d6/a7 f4-d4/e4 c3-d3/f3 d6-c6/a6 d3-d1/d5 d1-e1/c1"),
}
"""For each game: a size, and the first actions of a game."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One script. `sections` are the sections of SPEC that it tests. A board that is wrong after
    the script has done its trick breaks the first of them."""

    name: str
    sections: tuple[str, ...]
    title: str
    steps: Sequence[Step]
    game: str = "loose"
    seat: Seat | None = None
    actions: str = ""
    token: str | None = None
    nodes: int = 1
    ping_seconds: int = PING_SECONDS
    bot: bool = False

    @property
    def task(self) -> Task:
        return Task(ROOM, self.seat, self.actions.split(), self.token, self.bot)

    def truth(self) -> Truth:
        """The room at the time when the client arrives."""
        other = None if self.seat == 0 else Holder("user-other", "Other")
        return Truth(self.game, LINES[self.game][0], (other, RIVAL))


def _line(game: str, first: int, last: int) -> list[Step]:
    """Actions number `first` to `last` of a game are played, one by one."""
    return [Happens(action) for action in LINES[game][1].split()[first - 1 : last]]


def _watch(name: str, sections: str, title: str, *steps: Step, **how: object) -> Scenario:
    """The client watches a game of Loose. Four actions have been played; then come `steps`."""
    begin = [Joined(), *_line("loose", 1, 4), Reported()]
    return Scenario(name, tuple(sections.split()), title, [*begin, *steps], **how)  # type: ignore[arg-type]


def _whole(game: str) -> Scenario:
    line = _line(game, 1, 99)
    steps = [*line[:5], Joined(), *line[5:], Ends(), Trusts("4.2")]
    title = f"a game of {game}, event by event; every board is compared"
    return Scenario(f"watch-{game}", ("4.2", "5.3", "6.1"), title, steps, game)


def _play(name: str, sections: str, title: str, *steps: Step,
          begin: Sequence[Step] = (Joined(),), bot: bool = False) -> Scenario:  # fmt: skip
    """The client plays komi:14, b4 after `white` (`steps` are about this), and b1 after e4."""
    script = [*begin, Acts(), Happens("white"), *steps]
    return Scenario(name, tuple(sections.split()), title, script, seat=0,
                    actions="komi:14 b4 b1", token="token-that-was-given", bot=bot)  # noqa: S106 # fmt: skip


_ON = (Happens("b1"), Ends())
_REST = (Happens("e4"), Acts(), Ends())

_UNKNOWN = (
    {"type": "weather", "room": ROOM, "state": {"sun": True}},
    {"type": "notice", "kind": "a_new_one", "seconds": 9},
    {"type": "presence", "room": ROOM, "players": [True, False], "spectators": 3, "new": []},
)
_NEWS = ({"type": "notice", "kind": "store_back"}, {"type": "weather"})
_STRAY_ANSWERS = (
    {"type": "error", "id": None, "code": "malformed", "text": "nobody knows to what"},
    {"type": "error", "id": 2**32 - 1, "code": "limit", "text": "to no request"},
    {"type": "ok", "id": 2**32 - 2, "room": ROOM, "turn": 0},
)
_GONE = ({"type": "notice", "kind": "room_gone", "room": ROOM},)
_DRAINING = ({"type": "notice", "kind": "draining", "seconds": 1},)

SCENARIOS: tuple[Scenario, ...] = (
    *(_whole(game) for game in LINES),
    # --- following ---
    _watch("duplicate", "6.2", "an event comes three times, then old events come again",
           Happens("b1", "twice"), Again(3), Happens("d4"), Again(1), Reported(), Keeps(),
           Ends()),
    _watch("hole", "6.2", "an event is missing",
           Happens("b1", "never"), Happens("d4", "beyond a hole"), Rejoins(since=True), Reported(),
           Happens("c2"), Ends()),
    _watch("hole-again", "6.10 6.2", "a hole appears again right after it was filled",
           Sets("gappy", value=True), Happens("b1", "never"), Happens("d4", "beyond a hole"),
           Rejoins(since=True), Happens("c2", "beyond a hole"), Rejoins(since=False), Reported(),
           Happens("e5"), Ends()),
    _watch("hole-later", "7 6.2", "a join waits to be sent again, and a snapshot comes meanwhile",
           Sets("passing", {"join": ("rate", 600)}), Happens("b1", "never"),
           Happens("d4", "beyond a hole"), PutOff(), Shows(), Reported(), JoinsFromHere(),
           Happens("c2"), Reported(), Ends()),
    _watch("mending", "6.10 6.2", "while a join is under way, more events come that do not fit",
           Holds(), Happens("b1", "never"), Happens("d4", "beyond a hole"),
           Happens("c2", "never"), Hampers(), Rejoins(since=True), Reported(), Keeps(),
           Happens("e5"), Ends()),
    _watch("chain", "6.2 3.4", "an event does not continue the chain",
           Happens("b1", "with another chain"), Rejoins(since=False), Reported(), Happens("d4"),
           Ends()),
    _watch("fork", "6.2 3.4", "the next event comes, but it continues another past",
           Happens("b1"), Reported(), Loses(keep=5, told=False),
           *(Happens(action, "never") for action in ("b1", "e4", "b4")),  # to the same board
           Happens("d4", "of another past"), Rejoins(since=False), Reported(), Happens("c2"),
           Ends()),
    _watch("fork-same", "6.2 3.4", "an event has the client's own number, but another chain",
           Loses(keep=6, told=False), Happens("d3", "of another past"), Rejoins(since=False),
           Reported(), Happens("d2"), Ends()),
    _watch("digest", "6.2 5.4", "the digest of an event is not that of its board",
           Happens("b1", "with another digest"), Reports("mismatch"), Rejoins(since=False),
           Reported(), Happens("d4"), Ends()),
    Scenario("digest-first", ("6.2", "5.4"), "the digest of the very first event is wrong",
             [Joined(), Happens("komi:14", "with another digest"), Rejoins(since=False),
              Reported(), Happens("white"), Ends()]),
    _watch("diff", "6.2 5.4", "a diff leads to another board than the server's",
           Happens("b1", "with other cells"), Rejoins(since=False), Reported(), Happens("d4"),
           Ends()),
    _watch("no-such-cell", "16.6 6.2", "a diff changes a cell that the board does not have",
           Happens("b1", "with a cell too many"), Rejoins(since=False), Reported(), Happens("d4"),
           Ends()),
    _watch("report-refused", "6.14 7", "the report of a board that differs is refused",
           Sets("passing", {"board_mismatch": ("limit", None)}),
           Happens("b1", "with another digest"), Rejoins(since=False), Reported(), Happens("d4"),
           Ends()),
    _watch("fault", "6.2", "the board differs again right after a fresh snapshot",
           Happens("b1", "with another digest"), Reports("mismatch"), Rejoins(since=False),
           Reported(), Sets("may_give_up", value=True), Happens("d4", "with another digest"),
           Reports("desync"), GivesUp("6.2"), Closes()),
    _watch("spoilt", "6.2 5.4", "the fresh snapshot does not fit its own digest",
           Sets("may_give_up", value=True), Sets("spoilt", value=True),
           Happens("b1", "with another digest"), Reports("mismatch"), Reports("desync"),
           GivesUp("6.2"), Closes()),
    _watch("strays", "10.3", "an event and a snapshot of another room come",
           Strays("b1"), Keeps(), *_ON),
    _watch("answers", "2.8 2.6", "answers come that no request waits for",
           Says(_STRAY_ANSWERS), Keeps(), *_ON),
    _watch("gone", "1.5", "the server says that the room is gone", Says(_GONE), GivesUp("1.5")),
    _watch("large", "1.7", "a message of almost 1 MiB comes",
           Happens("b1", "at length"), Reported(), Connected(1, "1.7"), Happens("d4"), Ends()),
    _watch("unknown", "1.2 3.3 3.4", "unknown fields, message types and kinds of events",
           Sets("stuffed", value=True), Says(_UNKNOWN), Happens("b1"), Says(_UNKNOWN),
           Happens("undone"), Reported(), Trusts("3.4"), Happens("d3"), Cut(), Returns(),
           Happens("d4"), Ends()),
    _watch("takeback", "4.2 19.4", "actions are taken back, once and twice, and played again",
           Happens("b1"), Happens("asks"), Reported(), Happens("allows"), Reported(),
           Happens("b1"), Reported(), Cut(), Happens("asks", "never"), Happens("allows", "never"),
           Returns(), Reported(), Happens("d4"), Ends()),
    Scenario("by-the-rules", ("4.2", "5.3"),
             "the color is taken back and chosen again; then the game ends by its rules",
             [Joined(), *_line("taugo", 1, 2), Reported(), Happens("asks"), Happens("allows"),
              Reported(), *_line("taugo", 2, 4), Happens("pass"), Happens("pass"), Ends(),
              Trusts("4.2")],
             "taugo"),
    _watch("replaced", "4.2", "one event takes an action back and plays another",
           Happens("b1"), Reported(), Happens("d4", instead=True), Reported(), Ends()),
    Scenario("news-first", ("1.5", "1.2"), "news comes before the answer to hello",
             [Sets("stuffed", value=True), Sets("greeting", _NEWS), Joined(),
              *_line("loose", 1, 2), Ends()]),
    _watch("older", "6.7", "a snapshot comes unasked, of an earlier place in the same epoch",
           Happens("b1"), Reported(), Loses(keep=5, told=False), Shows(), Reported(),
           Happens("d3"), Keeps(), Ends()),
    # --- epochs ---
    _watch("epoch", "6.2 3.2", "a new epoch begins, and no event was lost; old events come again",
           Loses(keep=7), Again(3), Keeps(), Happens("b1"), Ends()),
    _watch("epoch-fork", "6.2 3.2", "a new epoch takes back events that the client has",
           Loses(keep=5), Rejoins(since=False), Reported(), Happens("d3"), Ends()),
    _watch("epoch-away", "6.2 6.1", "a new epoch takes back events while the client is away",
           Cut(), Loses(keep=5), Happens("d3", "never"), Returns("6.1"), Reported(), Happens("d2"),
           Ends()),
    # --- connections ---
    _watch("cut", "6.1 7", "the connection breaks, and events happen meanwhile",
           Cut(), Happens("b1", "never"), Happens("d4", "never"), Returns("6.1"), Reported(),
           Cut(), Returns("6.1"), Happens("c2"), Ends()),
    _watch("snapshot", "6.1", "the server cannot resume, and sends a snapshot",
           Sets("forgetful", value=True), Cut(), Happens("b1", "never"), Returns("6.1"),
           Reported(), Happens("d4"), Ends()),
    _watch("proof", "6.13", "the client sends back the proof of each place; then no proof comes",
           Sets("proves", value=True), Happens("b1"), Reported(), Cut(), Happens("d4", "never"),
           Returns("6.13"), Reported(), Cut(), Returns("6.13"), Sets("proves", value=False),
           Happens("c2"), Reported(), Cut(), Returns("6.13"), Ends()),
    _watch("close-codes", "7", "close codes that allow reconnecting, and an unknown code",
           Cut(1011), Returns(), Happens("b1"), Reported(), Cut(4999), Returns(), Ends()),
    *(_watch(f"final-{code}", "7", f"the close code {code}, which forbids reconnecting",
             Sets("may_give_up", value=True), Cut(code), GivesUp("7")) for code in FINAL),
    _watch("haste", "14.1", "the connection breaks four times, soon after it was opened",
           *(Cut(), Returns()) * 4, Hesitates(), *_ON),
    _watch("backoff", "7", "the server accepts no connections for a while",
           Refuses(), Cut(), Refuses(seconds=2), Returns(), *_ON),
    Scenario("busy", ("1.13",), "the first handshakes are refused: the server is busy",
             [Sets("refusal", Refusal(HTTPStatus.TOO_MANY_REQUESTS, 1)), TriesAgain(2), Joined(),
              *_line("loose", 1, 2), Ends()]),
    _watch("retry-after", "1.13 7", "a node that restarts says when to try it again",
           Sets("refusal", Refusal(HTTPStatus.SERVICE_UNAVAILABLE, 2)), Refuses(), Cut(1012),
           Refuses(seconds=1), Returns("1.13"), *_ON),
    _watch("shut-out", "1.13 7", "from now on, handshakes are refused with HTTP 403",
           Sets("refusal", Refusal(HTTPStatus.FORBIDDEN)), Refuses(),
           Sets("may_give_up", value=True), Cut(), ShutOut("1.13")),
    _watch("elsewhere", "7", "a node sends its clients elsewhere, and accepts no more connections",
           Says(_DRAINING), Refuses(), Cut(1012), Returns(), *_ON, nodes=2),
    _watch("silence", "1.4", "the server falls silent while the connection stays open",
           Silence(), Happens("b1", "never"), Returns("1.4"), Reported(), Happens("d4"), Ends(),
           ping_seconds=1),
    _watch("quiet", "1.4", "nothing happens for a while, but the server is there",
           Stays(4), *_ON, ping_seconds=1),
    _watch("no-pings", "1.4", "the server sends no pings, and says so (`ping_seconds` is 0)",
           Stays(1), *_ON, ping_seconds=0),
    Scenario("hello-refused", ("7", "1.3"), "hello is refused for good",
             [Sets("hello_refused", "bad_token"), Sets("may_give_up", value=True), Joined(),
              GivesUp("7")], token="token-that-was-given"),  # noqa: S106
    Scenario("goto", ("1.16",), "if the first join says `goto`, the answer is `goto`",
             [Sets("features", ("goto",)), Sets("passing", {"join": ("goto", None)}), Joined(),
              WhereToldTo(), *_line("loose", 1, 4), Reported(), Cut(), Returns(), Happens("b1"),
              Ends()]),
    # --- playing ---
    _play("play", "6.3 2.1", "`ok` comes before the event", Acts(), *_REST),
    _play("event-first", "2.1", "the event comes before its `ok`",
          Acts("event, ok"), *_REST),
    _play("hole-acting", "2.1 6.2", "an event is missing while an act waits for its `ok`",
          Acts("withheld"), Happens("e4", "beyond a hole"), Rejoins(since=True), Reported(),
          Answers(), Acts(), Ends()),
    Scenario("mended-turn", ("6.7", "6.2", "6.3"),
             "a snapshot repairs the board, and it is the client's turn: it has to act",
             [Joined(), Acts(), Happens("white", "with another digest"), Rejoins(since=False),
              Reported(), Acts(), Reported(), Sets("forgetful", value=True),
              Happens("e4", "never"), Happens("asks", "beyond a hole"), Rejoins(since=True),
              Reported(), Acts(), Ends()],
             seat=0, actions="komi:14 b4 b1", token="token-that-was-given"),  # noqa: S106
    _play("seat-cut", "2.3", "the connection breaks before the seat is acknowledged",
          Acts(), *_REST, begin=(Sets("cut_when_seated", value=True), Joined())),
    _play("cut-before", "2.3", "the connection breaks before the action is kept",
          Acts("cut"), Returns(), Acts(), *_REST),
    _play("cut-after", "2.3", "the connection breaks after the action is kept, before `ok`",
          Acts("event kept, cut"), Returns(), Reported(), *_REST),
    _play("cut-answered", "2.3 6.1", "the connection breaks after `ok`, before the event",
          Acts("ok, cut"), Returns(), Reported(), *_REST),
    _play("unavailable", "7", "the store is away, and nothing was done: try again",
          Acts("unavailable"), Acts(), *_REST),
    _play("internal", "7", "the server fails at the act: try again",
          Acts("internal"), Acts(), *_REST),
    _play("rate", "7 1.6", "the act is refused as too fast: wait for retry_ms, try again",
          Acts("rate"), Acts(), *_REST),
    _play("rate-others", "7", "hello and join are refused for now: wait, and send them again",
          Acts(), *_REST, Connected(1, "7"),
          begin=(Sets("passing", {"hello": ("rate", 600), "join": ("unavailable", None)}),
                 Joined())),
    _play("unavailable-kept", "2.3 7", "`unavailable`, though the action was kept",
          Acts("event, unavailable"), *_REST),
    _play("stale", "6.3", "the same user has played from elsewhere: the act is stale",
          Acts("stale", meanwhile="a1"), Happens("e4"), Acts(), Happens("d4"), Acts(), Ends()),
    _play("stale-silence", "6.9 14", "the act is stale, and the event that would say why is lost",
          Acts("stale, silence", meanwhile="a1"), Rejoins(since=True, slowly=True), Reported(),
          Happens("e4"), Acts(), Happens("d4"), Acts(), Ends()),
    _play("stale-undone", "6.9 6.3", "the act is stale, and then the store loses what made it so",
          Acts("stale, silence", meanwhile="a1"), Loses(keep=5, told=False),
          Rejoins(since=True, slowly=True), Acts(), *_REST),
    _play("stale-lower", "6.9 3.5", "the act is stale: the store has lost the turn before",
          Acts("stale, lost"), Rejoins(since=False), Reported(), Happens("white"), Acts(), *_REST),
    Scenario("pause", ("19.6", "6.3"), "it is the client's turn, but the clocks are paused",
             [Sets("forgetful", value=True), Joined(), Acts(), Cut(), Happens("white", "never"),
              Happens("pause", "never"), Happens("pauses", "never"), Returns("19.6"),
              Reported(), Waits(), Happens("resume"), Happens("resumes"), Acts(), *_REST],
             seat=0, actions="komi:14 b4 b1", token="token-that-was-given"),  # noqa: S106
    _play("bot", "1.3", "a program that plays by itself says so", Acts(), *_REST, bot=True),
    _play("refused", "7", "an act is refused with an unknown code",
          Acts("refused"), GivesUp("7")),
    _play("slow", "2.1 1.4", "the server is slow, and sends messages in pieces",
          Acts("late, ok, event"), Happens("e4"), Acts("late, ok, event"), Connected(1, "2.1"),
          Ends(),
          begin=(Sets("lag", 0.8), Joined())),
)  # fmt: skip
