/** How games begin: what you wait for, and who challenges you. Everything that changes it is here. */

import {
  Refused,
  foldChallenges,
  type ChallengeOptions,
  type Challenged,
  type Control,
  type Create,
  type PendingRoom,
  type SeekOptions,
} from "@pierule/client";
import { effect, signal } from "@preact/signals";
import { announce } from "../announce";
import { setBlock } from "../blockList";
import { mine, refreshMine } from "../home/mine";
import { ratedFrom } from "../notices";
import { refusalText } from "../refusals";
import { go, roomPath, route } from "../route";
import { client } from "../server";
import { play } from "../sounds";
import { load, loadHere, saveHere } from "../storage";
import { texts } from "../texts";
import { seeks } from "../windows";

/** What you wait for, and since when by `Date.now()`. */
export interface Waiting {
  what: (({ type: "seek" } & SeekOptions) | ({ type: "challenge" } & ChallengeOptions)) & { size: number };
  since: number;
  wanted: PendingRoom;
  /** Whether it came from the form for challenges, which then shows why it was refused. */
  isFromForm?: boolean;
}

export const waiting = signal<readonly Waiting[]>([]);
/** The challenges that stand against you. */
export const incoming = signal<readonly Challenged[]>([]);
/** Why a wait or an answer came to nothing. */
export interface Failure {
  error: Refused;
  /** What you waited for; null: it was an answer. */
  entry: Waiting | null;
  /** Who was challenged, by name; null: nobody. */
  to: string | null;
}

/** The last failure, until you go to another screen. */
export const failed = signal<Failure | null>(null);
/** A game that has begun while you play another, or were elsewhere. */
export const ready = signal<string | null>(null);
/** The room on the screen, once the page knows whether you are playing in it. */
export const roomShown = signal<{ room: string; plays: boolean } | null>(null);
/** A game that has begun. This window goes there once it knows that you are not in the midst of another. */
const entering = signal<string | null>(null);

/** For how long a window that is loaded again goes on with what it waited for, in ms: that long a seek
 * keeps its place (SPEC 23.2), and the server knows what has become of a challenge (SPEC 23.11). */
const RESUME = { seek: 30_000, challenge: 600_000 };

/** Within this time after a welcome, in ms, the server tells all challenges that stand. */
const TOLD_AGAIN = 5_000;

/** The rooms that were on the screen, or whose beginning was announced. */
const known = new Set<string>();

export const keyOf = (what: { game: string; size: number; control?: Control | null }): string =>
  JSON.stringify([what.game, what.size, Object.entries(what.control ?? {}).sort()]);

/** What you seek; null: nothing. */
export const seeking = (): (Waiting & { what: SeekOptions }) | null =>
  (waiting.value.find(({ what }) => what.type === "seek") as (Waiting & { what: SeekOptions }) | undefined) ??
  null;

/** After how many seconds a house bot plays if nobody comes. */
export const PATIENCE = 15;

type SeekChoices = { patience?: number } & Pick<SeekOptions, "rated" | "range">;

/** Seek an opponent: a person, or after `patience` seconds a house bot, if there are any. */
export function seek(
  game: string,
  size: number,
  clock: Create["clock"],
  { patience = PATIENCE, rated = ratedFrom.value ? "no" : "either", range }: SeekChoices = {},
): void {
  const stands = client.welcome?.features.includes("stand_in") && rated !== "yes"; // only people (SPEC 30.1)
  const bot = stands && { bot_after: patience };
  wait({ type: "seek", game, size, clock, rated, ...bot, ...(range && { range }) });
}

/** Play a house bot of a level, and nobody else. */
export function seekBot(
  level: string,
  { game, size, clock }: Pick<Create, "game" | "clock"> & { size: number },
  rated: Create["rated"],
): void {
  wait({ type: "seek", game, size, clock, bot_level: level, bot_after: 0, rated: withBot(rated) });
}

/** The wish about ratings for a game with a bot: nobody can insist that it counts (SPEC 30.9). */
const withBot = (rated: Create["rated"]) => (rated === "no" ? "no" : "either");

/** Stop seeking and play a house bot at once, unless somebody has come at this moment. */
export async function playBot({ what, wanted }: Waiting): Promise<void> {
  await wanted.withdraw();
  const found = await wanted.room.catch(() => null);
  if (!found) seek(what.game, what.size, what.clock, { patience: 0, rated: withBot(what.rated) });
}

interface WaitOptions extends Partial<Pick<Waiting, "since" | "isFromForm">> {
  /** The nonce of an earlier wait, to go on with it. */
  nonce?: string;
}

/** Seek an opponent, or challenge one, and go to the room when there is one. You seek one thing at a time. */
export function wait(
  what: Waiting["what"],
  { nonce, since = Date.now(), isFromForm = false }: WaitOptions = {},
): Waiting {
  failed.value = null;
  if (what.type === "seek") void seeking()?.wanted.withdraw();
  const wanted = what.type === "seek" ? client.seek(what, nonce) : client.challenge(what, nonce);
  const entry: Waiting = { what, since, wanted, isFromForm };
  waiting.value = [
    ...waiting.value.filter((other) => other.what.type !== "seek" || what.type !== "seek"),
    entry,
  ];
  wanted.room
    .then(
      (room) => void (room && enter(room)),
      (error: Error) => fail(error, entry),
    )
    .finally(() => (waiting.value = waiting.value.filter((other) => other !== entry)));
  return entry;
}

function fail(error: unknown, entry: Waiting | null = null): void {
  const to = entry?.what.type === "challenge" ? entry.what.to : null;
  if (error instanceof Refused) failed.value = { error, entry, to };
}

/** The codes of refusals that come late, from the person who was challenged. */
const LATE = new Set(["declined", "expired"]);

/** Whether the form for challenges shows a failure. */
export const isShownInForm = ({ error, entry }: Failure): boolean =>
  !!entry?.isFromForm && !LATE.has(error.code);

/** Why it came to nothing; for a challenge, with the name of the person who was asked. */
export function failureText({ error, to }: Failure): string {
  const words = to === null ? undefined : texts.value.people.challenges[error.code];
  return words?.(to!) ?? refusalText(error);
}

effect(() => {
  if (route.value) failed.value = null;
});

/** Whether the game of a challenge is to count if you accept it: it cannot after you left too many. */
export const ratedForYou = ({ rated }: Challenged): Challenged["rated"] =>
  ratedFrom.value && rated !== "yes" ? "no" : rated;

/** Accept a challenge, or decline it. */
export async function answer({ challenge }: Challenged, accept: boolean): Promise<void> {
  failed.value = null;
  try {
    const room = await client.answerChallenge(challenge, accept);
    if (room) {
      tell(room);
      go(roomPath(room)); // even from another game: they wait for you there, and you asked for it
    }
  } catch (error) {
    fail(error);
    // Whoever may not accept it may still decline it, and it stands until then.
    if (!(error instanceof Refused && error.code === "unknown_challenge")) return;
  }
  incoming.value = incoming.value.filter((other) => other.challenge !== challenge);
}

/** Block a challenger, and decline their challenge. */
export async function block(challenge: Challenged): Promise<void> {
  try {
    await setBlock(challenge.user, "block", challenge.name);
  } catch (error) {
    fail(error);
    return;
  }
  await answer(challenge, false);
}

function enter(room: string): void {
  tell(room);
  entering.value = room;
}

// What others do takes you away from no game. A window that is loaded again learns only late that it is
// in one.
effect(() => {
  const room = entering.value;
  const { value: at } = route;
  if (room === null || (at.at === "room" && roomShown.value?.room !== at.room)) return;
  entering.value = null;
  if (at.at === "room" && roomShown.value?.plays) ready.value = room;
  else go(roomPath(room));
});

function tell(room: string): void {
  if (known.has(room)) return;
  known.add(room);
  play("offer");
  announce(texts.value.meeting.begins);
}

/** The games that this browser knew to be running when the window was opened. The server announces them
 * again, but they are no news. */
const running = new Set(mine.value.filter(({ status }) => status === "running").map(({ room }) => room));

/** A game has begun for which this window does not wait: a rematch that you offered before you left, or
 * something that another window of the same user wanted. */
async function begun(room: string): Promise<void> {
  if (running.has(room)) return;
  await refreshMine();
  // A game that the server does not list is over: it announces games for a while, and this one was short.
  const stands = mine.value.some((game) => game.room === room && game.status !== "over");
  if (!stands || known.has(room)) return;
  tell(room);
  ready.value = room;
}

client.hear((news) => {
  if (news.type !== "paired" || known.has(news.room)) return;
  if (!waiting.value.some(({ wanted }) => wanted.nonce === news.nonce)) void begun(news.room);
});

effect(() => {
  if (route.value.at !== "room") return;
  known.add(route.value.room);
  if (ready.value === route.value.room) ready.value = null;
});
effect(() => {
  if (mine.value.some(({ room, status }) => room === ready.value && status === "over")) ready.value = null;
});

// After a welcome the server tells all challenges that stand. The others do not stand any more.
const standing = new Set<string>();
let sifting: ReturnType<typeof setTimeout> | undefined;
client.welcomed(() => {
  standing.clear();
  clearTimeout(sifting);
  sifting = setTimeout(() => {
    if (client.status.kind !== "online") return;
    incoming.value = incoming.value.filter(({ challenge }) => standing.has(challenge));
  }, TOLD_AGAIN);
});
client.hear((news) => {
  const before = incoming.value;
  incoming.value = foldChallenges(before, news);
  if (news.type !== "challenged") return;
  standing.add(news.challenge);
  if (incoming.value === before) return;
  play("offer");
  announce(texts.value.meeting.challenged(news.name || texts.value.room.unnamed));
});

effect(() => {
  const sought = seeking()?.what;
  const clock = sought?.clock as Control | null | undefined;
  seeks.value = sought ? keyOf({ ...sought, control: clock ?? null }) : null;
});

// A window that is loaded again goes on with what it waits for. If it has another user than before, it seeks
// anew, and challenges nobody in the other's name.
addEventListener("pagehide", () => {
  const same = !client.welcome || load("token") === client.welcome.token;
  const left = waiting.value
    .filter(({ what }) => same || what.type === "seek")
    .map(({ what, since, wanted }) =>
      same ? { what, nonce: wanted.nonce, since, at: Date.now() } : { what, at: Date.now() },
    );
  saveHere("waiting", JSON.stringify(left));
});
const kept = JSON.parse(loadHere("waiting") ?? "[]") as {
  what: Waiting["what"];
  nonce?: string;
  since?: number;
  at: number;
}[];
saveHere("waiting", null);
for (const { what, nonce, since, at } of kept)
  if (Date.now() - at < RESUME[what.type]) wait(what, { nonce, since });
