"""Starts all workers of a supervisor, starts them again when they end, and replaces them one by
one."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Mapping

import structlog

from pierule_server import metrics
from pierule_server.gateway.arrivals import Arrival
from pierule_server.tasks import Tasks
from pierule_server.workers.choosing import homes
from pierule_server.workers.ledger import Ledger
from pierule_server.workers.life import Life, leave
from pierule_server.workers.lives import Lives
from pierule_server.workers.merging import Retired
from pierule_server.workers.messages import Homes, Present, Setup, Spent

LOOK = 1.0
"""Seconds between two checks for workers that hang."""

HANGING, STARTING = 60.0, 120.0
"""Seconds after which the supervisor kills a worker that does not answer: once it has served, and
while it starts."""

_logger = structlog.get_logger(__name__)


class WorkersEnded(Exception):
    """No worker serves, so the supervisor ends. `status` is its exit status."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status


class Post:
    """The job of one worker. When its process ends, another process gets the job."""

    def __init__(self, number: int, most: int) -> None:
        self.number = number
        self.lives = Lives(most)
        self.life: Life | None = None
        self.status: int | None = None
        self.given_up = False


class Crew:
    """`count` workers with these settings. A worker that keeps ending is started again at most
    `most` times in a row, then given up. A worker that is asked to end has `patience` seconds. If
    all workers are given up, `lost` is true, and the crew calls `when_lost`. `retired` keeps the
    counts of ended workers."""

    def __init__(
        self, count: int, settings: Mapping[str, str], most: int, patience: float,
        ledger: Ledger, when_lost: Callable[[], None],
    ) -> None:  # fmt: skip
        self._most = most
        self._patience = patience
        self._ledger = ledger
        self._when_lost = when_lost
        self.retired = Retired()
        self.posts = [Post(number, most) for number in range(1, count + 1)]
        self.lost = False
        self._settings = dict(settings)
        self._setup: Setup | None = None
        self._tasks = Tasks()
        self._begun = self._stopping = False
        self.pass_on: Callable[[socket.socket, Arrival | None], None] = leave
        self._apart: set[Life] = set()
        self._restarting: asyncio.Task[None] | None = None
        self._at_home: dict[int, Life] = {}

    async def start(self, setup: Setup) -> None:
        """Start the workers. The first one makes what they share, so the others wait until it
        serves. Raises WorkersEnded if it ends instead, and OSError."""
        self._setup = setup
        lives = []
        for post in self.posts:
            lives.append(await self._another(post))
            self._appoint(post, lives[-1])
        others = self.posts[1:]
        lives[0].set_up(setup)
        if not await lives[0].serving:
            status = await lives[0].ended
            raise WorkersEnded(
                f"worker 1 ended while it started, with status {status}; the log says why", status
            )
        self._begun = True
        self._tasks.keep(self._look_after, "look at workers")
        for post in others:
            if post.life is None:
                self._tasks.begin(self._begin_again(post, 0.0), "another start")
            else:
                post.life.set_up(setup)
        await asyncio.gather(*(post.life.serving for post in others if post.life))

    async def stop(self) -> None:
        """Ask all workers that are left to end, and kill those that take longer than `patience`."""
        lives = self._asked_to_end()
        ends = [life.ended for life in lives]
        if ends:
            await asyncio.wait(ends, timeout=self._patience)
        for life in lives:
            life.kill()
        await asyncio.gather(*ends)
        await self._tasks.stop()
        late = self.lives  # Some may have begun meanwhile.
        for life in late:
            life.kill()
        await asyncio.gather(*(life.ended for life in late))

    async def drain(self) -> None:
        """Let all workers send their clients away and end, all in parallel."""
        lives = self._asked_to_end()
        await asyncio.gather(*(asyncio.shield(life.ended) for life in lives))

    def restart(self) -> None:
        """Replace all workers, one after the other: the next serves before the last one drains."""
        if self._setup is None or not self._begun or self._stopping:
            _logger.warning("workers not restarted: the server is still starting, or it stops")
        elif self._restarting is not None and not self._restarting.done():
            _logger.warning("workers not restarted: another restart is under way")
        else:
            work = self._restart(self._setup)
            self._restarting = self._tasks.begin(work, "restart of workers")

    def usable(self) -> dict[int, Life]:
        """The workers that may get connections, by number: those that serve, are not stuck and do
        not drain. If there are none, those that drain, because they tell clients what to do; or
        else those that are stuck."""
        serving = {
            post.number: post.life
            for post in self.posts
            if post.life is not None and post.life.serves
        }
        best = {n: life for n, life in serving.items() if not (life.stuck or life.draining)}
        return best or {n: life for n, life in serving.items() if not life.stuck} or serving

    def begun(self, life: Life) -> None:
        """A worker has begun to serve."""
        self._ledger.begin(life, asyncio.get_running_loop().time())
        self._assign()

    def _assign(self) -> None:
        """Tell the workers their buckets, if the usable workers have changed."""
        usable = self.usable()
        if usable == self._at_home:
            return
        self._at_home = usable
        for number, buckets in homes(usable).items():
            usable[number].tell(Homes(buckets))

    def give_back(self, connected: socket.socket, arrival: Arrival | None) -> None:
        """A worker ended before it took this connection: pass it to another worker."""
        self.pass_on(connected, arrival)

    def spent(self, life: Life, message: Spent) -> None:
        """A worker says what was drawn there."""
        self._ledger.spent(life, message, self.lives, asyncio.get_running_loop().time())

    def present(self, life: Life, message: Present) -> None:
        """A worker says how many connections a user has there."""
        self._ledger.present(life, message.user, message.count, self.lives)

    def measure(self) -> None:
        """Update the metrics of workers."""
        serving = sum(1 for post in self.posts if post.life and post.life.well)
        given_up = sum(1 for post in self.posts if post.given_up)
        metrics.WORKERS.labels("serving").set(serving)
        metrics.WORKERS.labels("given_up").set(given_up)
        metrics.WORKERS.labels("starting").set(len(self.posts) - serving - given_up)

    def _asked_to_end(self) -> list[Life]:
        """Ask all workers to end, and return them. A second call asks them to hurry."""
        self._stopping = True
        if self._restarting is not None:
            self._restarting.cancel()
        lives = self.lives
        for life in lives:
            life.drain()
        return lives

    @property
    def lives(self) -> list[Life]:
        """All workers that have not ended, including those without a post: new ones that do not
        serve yet, and replaced ones that drain."""
        return [*self._apart, *(post.life for post in self.posts if post.life)]

    async def _begin(self, post: Post) -> None:
        """Start a worker for a post."""
        assert self._setup is not None
        life = await self._another(post)
        if post.life is not None or self._stopping:  # a restart has filled the post meanwhile
            life.kill()
            return
        self._appoint(post, life)
        life.set_up(self._setup)

    async def _another(self, post: Post) -> Life:
        """Start a process for this post. It does not have the post yet."""
        life = await Life.begin(post.number, self._settings, self)
        self._apart.add(life)
        self._tasks.begin(self._watch(post, life), f"watch on worker {post.number}")
        return life

    def _appoint(self, post: Post, life: Life) -> None:
        self._apart.discard(life)
        post.life, post.given_up = life, False
        self._assign()

    async def _restart(self, setup: Setup) -> None:
        _logger.info("restarting the workers one after the other")
        for post in self.posts:
            life = await self._another(post)
            life.set_up(setup)
            await life.serving
            if not life.serves:
                _logger.error("a new worker ended before it served; the old ones go on",
                              worker=post.number)  # fmt: skip
                return
            before = post.life
            post.lives = Lives(self._most)
            self._appoint(post, life)
            if before is not None:
                self._apart.add(before)
                before.drain()
                await asyncio.wait([before.ended], timeout=self._patience)
                before.kill()
        _logger.info("all workers are restarted")

    async def _look_after(self) -> None:
        """Kill workers that hang. They are then replaced like any worker that ends."""
        while True:
            for life in self.lives:
                bound = HANGING if life.serving.done() else STARTING
                if life.draining:  # a worker that ends says nothing for a while
                    bound = max(bound, self._patience)
                if life.hangs(bound):
                    _logger.error("a worker hangs and is killed", worker=life.number,
                                  pid=life.process.pid)  # fmt: skip
                    life.kill()
            self._assign()
            await asyncio.sleep(LOOK)

    async def _watch(self, post: Post, life: Life) -> None:
        """Wait for the end of a worker, and start another one for its post."""
        post.status = await life.ended
        self.retired.add(life.families)
        self._apart.discard(life)
        self._ledger.end(life, self.lives)
        if post.life is not life:  # another process has the post
            return
        post.life = None
        self._assign()
        if self._stopping or not self._begun:
            return
        metrics.WORKER_ENDS.inc()
        _logger.error("a worker has ended", worker=post.number, status=post.status)
        await self._begin_again(post, life.uptime)

    async def _begin_again(self, post: Post, uptime: float) -> None:
        """Start another worker for a post, or give the post up."""
        while (pause := post.lives.ended(uptime)) is not None:
            await asyncio.sleep(pause)
            if post.life is not None or self._stopping:
                return
            try:
                await self._begin(post)
            except OSError as error:  # for example, no memory
                _logger.error("cannot start a worker; trying again",  # noqa: TRY400
                              worker=post.number, error=str(error))  # fmt: skip
                uptime = 0.0
            else:
                return
        post.given_up = True
        _logger.critical(
            "a worker keeps ending; it is not started again: mend the cause, then send SIGHUP",
            worker=post.number,
        )
        if all(other.given_up for other in self.posts):
            self.lost = True
            self._when_lost()
