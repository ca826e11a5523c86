/** The archive of a server, read over HTTP (SPEC 27). Lists resume by themselves. */

import type {
  LeaderboardQuery,
  Offering,
  Cuts,
  Evaluated,
  Evaluating,
  Evaluations,
  Exploring,
  GameLine,
  Leaderboard,
  Line,
  Player,
  PlayerRatings,
  PositionMoves,
  Search,
  SearchAll,
  WholeGame,
} from "./archiveAnswers.js";
import { retryDelay } from "./backoff.js";
import { platform, type Environment } from "./environment.js";

const PATIENCE = 30_000; // ms, for each wait
const MOST = 1_000; // lines that one request may ask for

/** Statuses after which another try may succeed; null: no answer came. */
const PASSING: ReadonlySet<number | null> = new Set([null, 429, 502, 503, 504]);

/** What a problem says besides its text (SPEC 27.11). */
interface Problem {
  detail?: string;
  code?: string;
  parameter?: string;
  allowed?: unknown;
}

/** The archive refuses a request, or cannot be reached after repeated tries. `status` is the HTTP status,
 * null if no answer came; `code` is for programs; `parameter` is the wrong parameter, and `allowed` says what
 * it may be. `after` says in how many seconds to try again. */
export class ArchiveError extends Error {
  readonly code: string | null;
  readonly parameter: string | null;
  readonly allowed: unknown;

  constructor(
    message: string,
    readonly status: number | null = null,
    problem: Problem = {},
    readonly after = 0,
  ) {
    super(message);
    this.name = "ArchiveError";
    this.code = problem.code ?? null;
    this.parameter = problem.parameter ?? null;
    this.allowed = problem.allowed;
  }
}

export interface ArchiveOptions {
  /** How many tries in a row may bring nothing new. The default is 8. */
  tries?: number;
  /** Time, chance and HTTP; what is left out is the platform's. */
  environment?: Partial<Environment>;
}

type Query = Record<string, string | number | boolean | null | undefined>;

/** An archive. All methods reject with ArchiveError. */
export class Archive {
  private readonly home: string;
  /** Where the server has redirected us, so that it need not do so each time. */
  private root: string;
  private readonly tries: number;
  private readonly environment: Environment;

  /** The archive of the server at this address, or at the address of its API: `wss://example.org/ws` and
   * `https://example.org` mean the same. */
  constructor(url: string, { tries = 8, environment }: ArchiveOptions = {}) {
    this.root = this.home = rootOf(url.replace(/^ws/, "http"));
    this.tries = tries;
    this.environment = { ...platform, ...environment };
  }

  /** The lines of the feed, or the games that a search finds (SPEC 27.5). */
  games(search: Omit<SearchAll, "format"> = {}): AsyncGenerator<Line, void> {
    return this.lines("games", search);
  }

  /** The games of a player, by id or name. */
  gamesOf(player: string, search: Omit<Search, "format"> = {}): AsyncGenerator<GameLine, void> {
    return this.lines(`players/${encodeURIComponent(player)}/games`, search);
  }

  /** A game with its events, by room or feed number. */
  game(room: string | number): Promise<WholeGame> {
    return this.single(`games/${encodeURIComponent(room)}`);
  }

  /** A player, by id or name. */
  player(name: string): Promise<Player> {
    return this.single(`players/${encodeURIComponent(name)}`);
  }

  /** The ratings of a player, by id or name, with their curves (SPEC 30). */
  ratingsOf(name: string): Promise<PlayerRatings> {
    return this.single(`players/${encodeURIComponent(name)}/ratings`);
  }

  /** The leaderboard of a game (SPEC 30.5). */
  leaderboard(game: string, query: LeaderboardQuery = {}): Promise<Leaderboard> {
    return this.single(`ratings/${encodeURIComponent(game)}`, { ...query });
  }

  /** The cuts that were offered in a game, and who won (SPEC 27.13). */
  cuts(game: string, counting: Offering = {}): Promise<Cuts> {
    return this.single(`cuts/${encodeURIComponent(game)}`, { ...counting });
  }

  /** What was played after these actions, and who won (SPEC 27.13). */
  position(
    game: string,
    actions: readonly string[],
    exploring: Omit<Exploring, "actions"> = {},
  ): Promise<PositionMoves> {
    return this.single(`positions/${encodeURIComponent(game)}`, { ...exploring, actions: actions.join(" ") });
  }

  /** How good the positions of a line are, one after the other from `first` on (SPEC 27.17). It throws an
   * ArchiveError once `signal` is aborted. */
  async *evaluations(
    game: string,
    actions: readonly string[],
    { first = 0, ...query }: Omit<Evaluating, "actions"> = {},
    signal?: AbortSignal,
  ): AsyncGenerator<Evaluated, void> {
    const path = `evaluations/${encodeURIComponent(game)}`;
    for (let next: number | null = first; next !== null;) {
      const asked = { ...query, actions: actions.join(" "), first: next };
      const page: Evaluations = await this.single(path, asked, signal);
      yield* page.positions;
      next = page.next;
    }
  }

  private async single<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      const stop = new AbortController();
      const abort = () => stop.abort();
      signal?.addEventListener("abort", abort);
      try {
        if (signal?.aborted) throw new Error("the request was aborted");
        return await this.within(
          stop,
          this.open(path, query, stop).then((answer) => answer.json()),
        );
      } catch (error) {
        await this.pause(signal?.aborted ? Infinity : attempt, error as Error);
      } finally {
        signal?.removeEventListener("abort", abort);
      }
    }
  }

  private async *lines<L extends Line>(path: string, search: SearchAll): AsyncGenerator<L, void> {
    let { after, limit: left = Infinity } = search;
    for (let attempt = 0; left > 0;) {
      let came = 0;
      const limit = left === Infinity ? null : Math.min(left, MOST);
      try {
        for await (const text of this.texts(path, { ...search, after, limit, format: "ndjson" })) {
          const line = JSON.parse(text) as L;
          after = line.cursor;
          attempt = 0;
          came++;
          left--;
          yield line;
        }
      } catch (error) {
        await this.pause(attempt++, error as Error);
        continue;
      }
      if (left === Infinity || !came) return;
    }
  }

  /** The complete lines of an answer, as they come. */
  private async *texts(path: string, query: Query): AsyncGenerator<string, void> {
    const stop = new AbortController();
    try {
      const { body } = await this.within(stop, this.open(path, query, stop));
      const reader = body!.getReader();
      const decoder = new TextDecoder();
      for (let rest = ""; ;) {
        const { value, done } = await this.within(stop, reader.read());
        if (done && rest) throw new Error("the last line was cut off");
        if (done) return;
        const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
        rest = lines.pop()!;
        yield* lines;
      }
    } finally {
      stop.abort();
    }
  }

  private async open(path: string, query: Query, { signal }: AbortController): Promise<Response> {
    const url = new URL(path, this.root);
    for (const [name, value] of Object.entries(query))
      if (value !== null && value !== undefined) url.searchParams.set(name, String(value));
    const answer = await this.environment.fetch(url.href, { signal });
    if (answer.redirected) this.root = rootOf(answer.url);
    if (!answer.ok) throw await refusalOf(answer);
    return answer;
  }

  private async within<T>(stop: AbortController, work: Promise<T>): Promise<T> {
    const cancel = this.environment.after(PATIENCE, () => stop.abort());
    try {
      return await work;
    } finally {
      cancel();
    }
  }

  /** Wait before the next try. Rejects if there will be none. */
  private async pause(attempt: number, error: Error): Promise<void> {
    const refusal =
      error instanceof ArchiveError
        ? error
        : new ArchiveError(`the archive does not answer: ${error.message}`);
    if (attempt + 1 >= this.tries || !PASSING.has(refusal.status)) throw refusal;
    this.root = this.home;
    const delay = Math.max(refusal.after * 1000, retryDelay(attempt, this.environment.random()));
    await new Promise<void>((resume) => this.environment.after(delay, resume));
  }
}

const rootOf = (url: string): string => new URL("/api/v1/", url).href;

async function refusalOf(answer: Response): Promise<ArchiveError> {
  const problem: Problem = await answer.json().catch(() => ({}));
  const text = problem.detail ?? `${answer.status} ${answer.statusText}`;
  return new ArchiveError(text, answer.status, problem, Number(answer.headers.get("Retry-After")) || 0);
}
