"""The tables of the archive, for SQLite and for PostgreSQL.

`migrations` makes them; a test compares the two. Times are milliseconds since 1970, as the store
gave them.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ColumnElement,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
    func,
    literal_column,
)

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)

# SQLite numbers its rows itself, but only in a column that it calls INTEGER.
_Number = BigInteger().with_variant(Integer, "sqlite")

feed = Table(
    "feed",
    metadata,
    Column("id", SmallInteger, CheckConstraint("id = 1", name="one_row"), primary_key=True),
    Column("last", _Number, nullable=False),
)
"""One row: the last feed number. Every transaction that adds something locks it first, so numbers
follow the order of commits, without gaps."""

games = Table(
    "games",
    metadata,
    Column("feed", _Number, primary_key=True, autoincrement=False),
    Column("room", String(32), nullable=False),
    Column("created_hash", LargeBinary(32), nullable=False),
    Column("epoch", BigInteger, nullable=False),
    Column("superseded_by", _Number, ForeignKey("games.feed")),
    Column("log", LargeBinary, nullable=False),
    Column("access", String(8), nullable=False),
    Column("game", String(32), nullable=False),
    Column("rules", Integer, nullable=False),
    Column("size", Integer, nullable=False),
    Column("cut", Text),
    Column("komi", Integer),
    Column("black", SmallInteger),
    Column("player0", String(64), nullable=False),
    Column("player1", String(64), nullable=False),
    Column("bot0", Boolean, nullable=False),
    Column("bot1", Boolean, nullable=False),
    Column("clock", Text),
    Column("category", String(14), nullable=False),
    Column("rated", Boolean, nullable=False),
    Column("anchor", Integer),
    Column("winner", String(4)),
    Column("reason", String(16), nullable=False),
    Column("plies", Integer, nullable=False),
    Column("started", BigInteger, nullable=False),
    Column("ended", BigInteger, nullable=False),
    Column("rematch_of", String(32)),
    Column("signed_by", String(16)),
    Column("signature", LargeBinary(64)),
    UniqueConstraint("room", "created_hash", "epoch"),
)
"""A game that is over. `room` and `created_hash` name it, because ids of rooms may come again:
`created_hash` is the SHA-256 of the text over which the chain of its first event is computed (SPEC
3). If the store lost the end of a log and the game ended again, the record of the higher epoch
replaces the earlier record, which stays, with the feed number of its successor. `anchor` is the
fixed rating of the bot in a rated game against one (SPEC 30.9). `winner` is a seat, `draw`, or null
for none. `log` holds the events up to the one that ended the game (`pierule_archive.game`).
`signed_by` is the id of a key in `signing_keys` (SPEC 28).
"""

LISTED = (
    "feed", "access", "superseded_by", "game", "size", "category", "rated", "reason", "winner",
    "player0", "player1", "bot0", "bot1", "ended", "plies",
)  # fmt: skip
"""The columns of a game that lists filter by or show."""

Index(None, games.c.room)
for _seat in ("player0", "player1"):
    # With all columns that lists need: a row of `games` lies among logs, and a busy player has
    # thousands of games.
    for _first, _name in (((_seat,), ""), ((_seat, "game", "size"), "_board")):
        _all = dict.fromkeys((*_first, *LISTED))
        Index(f"ix_games_{_seat}{_name}", *(games.c[name] for name in _all))
Index(None, games.c.game, games.c.size, games.c.feed)
Index(None, games.c.ended)

amendments = Table(
    "amendments",
    metadata,
    Column("feed", _Number, primary_key=True, autoincrement=False),
    Column("game", _Number, ForeignKey("games.feed"), nullable=False, unique=True),
    Column("kind", String(8), nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("text", Text, nullable=False),
    Column("signed_by", String(16)),
    Column("signature", LargeBinary(64)),
)
"""A decision about a game after its end. Records never change: a result that operators void (`kind`
void) is an amendment. `text` says why; no signature covers it."""

players = Table(
    "players",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("name", Text),
    Column("bot", Boolean, nullable=False),
    Column("seen", BigInteger, nullable=False),
)
"""The name of each player, outside all records, so that it can be deleted. Null: the account was
deleted. `seen` is the end of the latest game from which the name was taken."""

Index("ix_players_lower_name", func.lower(players.c.name))

positions = Table(
    "positions",
    metadata,
    Column("feed", _Number, ForeignKey("games.feed"), primary_key=True, autoincrement=False),
    Column("ply", SmallInteger, primary_key=True),
    Column("key", LargeBinary(16), nullable=False),
    Column("action", Text),
    Column("following", LargeBinary(16)),
)
"""The positions of the first plies of each game that is not private, and what was played there
(`pierule_archive.positions`)."""

Index(None, positions.c.key, positions.c.feed)

moves = Table(
    "moves",
    metadata,
    Column("key", LargeBinary(16), primary_key=True),
    Column("month", Integer, primary_key=True),
    Column("bots", Boolean, primary_key=True),
    Column("action", Text, primary_key=True),
    Column("following", LargeBinary(16), nullable=False),
    Column("games", Integer, nullable=False),
    Column("black", Integer, nullable=False),
    Column("white", Integer, nullable=False),
    Column("draws", Integer, nullable=False),
)
"""How often each action was played in the positions that most games pass through, by month (12 *
year + month, from 0 in January of year 0) and by whether a bot played, and how many of these games
Black won, White won, and were drawn. It follows from `positions` and `games`, and answers at once
what would take long to count in them."""

cuts = Table(
    "cuts",
    metadata,
    Column("game", String(32), primary_key=True),
    Column("size", Integer, primary_key=True),
    Column("rules", Integer, primary_key=True),
    Column("month", Integer, primary_key=True),
    Column("bots", Boolean, primary_key=True),
    Column("cut", Text, primary_key=True),
    Column("chosen", String(5), primary_key=True),
    Column("games", Integer, nullable=False),
    Column("black", Integer, nullable=False),
    Column("white", Integer, nullable=False),
    Column("draws", Integer, nullable=False),
)
"""How often each cut was offered and each color chosen, counted like `moves`, whose keys do not
contain komi. `chosen` is empty for games that ended before a color was chosen."""

counted = Table(
    "counted",
    metadata,
    Column("id", SmallInteger, CheckConstraint("id = 1", name="one_row"), primary_key=True),
    Column("through", _Number, nullable=False),
)
"""One row: the feed number up to which `positions`, `moves`, `cuts` and `spans` have everything
(`pierule_archive.counting`)."""

spans = Table(
    "spans",
    metadata,
    Column("number", _Number, primary_key=True, autoincrement=False),
    Column("first", BigInteger, nullable=False),
    Column("last", BigInteger, nullable=False),
)
"""When the first and the last game of a thousand feed numbers (`counting.SPAN`) ended: a search for
some days passes over all other numbers. It follows from `games`, and goes as far as `counted`.
"""

signing_keys = Table(
    "signing_keys",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("public", LargeBinary(32), nullable=False),
    Column("until", String(64)),
)
"""The public keys that have signed. `until` is the hash of the last digest by which a revoked key
is trusted (SPEC 28.7)."""

digests = Table(
    "digests",
    metadata,
    Column("number", _Number, primary_key=True, autoincrement=False),
    Column("last", _Number, nullable=False, unique=True),
    Column("hash", String(64), nullable=False),
    Column("document", Text, nullable=False),
)
"""The digests (SPEC 28.5). `document` is the line that readers get, `last` the last feed number
that it covers."""

withheld = Table(
    "withheld",
    metadata,
    Column("feed", _Number, primary_key=True, autoincrement=False),
)
"""The numbers of private games, and of amendments to them, that are not here: an archive made from
public dumps keeps them, so that all others keep their numbers."""

Index(
    "ix_games_rated", games.c.game, games.c.feed,
    sqlite_where=games.c.rated, postgresql_where=games.c.rated,
)  # fmt: skip

RATED: ColumnElement[bool] = literal_column("games.rated")
"""Rated games, in the words of the index. `games.c.rated` becomes `rated = 1` in SQLite, which then
does not use the index."""

rated = Table(
    "rated",
    metadata,
    Column("id", SmallInteger, CheckConstraint("id = 1", name="one_row"), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("through", _Number, nullable=False),
)
"""One row: the version of the model, and the feed number up to which voided and replaced games were
looked for (`pierule_archive.rating`)."""

pools = Table(
    "pools",
    metadata,
    Column("game", String(32), primary_key=True),
    Column("through", _Number, nullable=False),
    Column("back", _Number),
)
"""For each game, the feed number up to which its rated games are in `ratings`. While a pool goes
back, `back` is the number up to which its games stay."""

ratings = Table(
    "ratings",
    metadata,
    Column("game", String(32), primary_key=True),
    Column("player", String(64), primary_key=True),
    Column("value", BigInteger, nullable=False),
    Column("deviation", BigInteger, nullable=False),
    Column("games", Integer, nullable=False),
    Column("at", BigInteger, nullable=False),
)
"""The rating of each player in each game after their last rated game, in millionths of a point
(SPEC 30.3); `games` are those that counted, and the last of them ended `at`."""

Index(None, ratings.c.game, ratings.c.value)

rating_steps = Table(
    "rating_steps",
    metadata,
    Column("feed", _Number, ForeignKey("games.feed"), primary_key=True, autoincrement=False),
    Column("seat", SmallInteger, primary_key=True),
    Column("game", String(32), nullable=False),
    Column("player", String(64), nullable=False),
    Column("value0", BigInteger, nullable=False),
    Column("deviation0", BigInteger, nullable=False),
    Column("games0", Integer, nullable=False),
    Column("at0", BigInteger, nullable=False),
    Column("value", BigInteger, nullable=False),
    Column("deviation", BigInteger, nullable=False),
)
"""What each rated game did to the rating of each of its players: the values before it (with a 0)
and after it. For a bot the two are equal, and it has no row in `ratings`. If a game is voided
later, ratings go back to the values before it."""

Index(None, rating_steps.c.player, rating_steps.c.game, rating_steps.c.feed)
