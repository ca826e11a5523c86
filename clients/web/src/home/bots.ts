/** The house bots by level: who they are, and which of them can be played. Pure. */

import type { FreeBots } from "@pierule/client";
import type { Texts } from "../texts";

/** The bots that come with every server, the weakest first. */
export const BOTS = [
  { level: "random", name: "Pip" },
  { level: "one-step", name: "Mira" },
  { level: "search", name: "Otto" },
] as const;

export type KnownLevel = (typeof BOTS)[number]["level"];

const places = new Map<string, number>(BOTS.map(({ level }, at) => [level, at]));

/** The levels, the weakest first; unknown ones come last, by name. */
export const inOrder = (levels: readonly FreeBots[]): FreeBots[] =>
  [...levels].sort(
    (one, other) =>
      (places.get(one.bot_level) ?? BOTS.length) - (places.get(other.bot_level) ?? BOTS.length) ||
      one.bot_level.localeCompare(other.bot_level),
  );

/** The name of the bot of a level. */
export const botName = (level: string): string => BOTS.find((bot) => bot.level === level)?.name ?? level;

/** How well a bot of a level plays, in words. */
export const strengthOf = ({ levels, other }: Texts["bots"], level: string): string =>
  isKnown(level) ? levels[level] : other;

export const isKnown = (level: string): level is KnownLevel => places.has(level);

/** The level of a house bot, from its user's id; null if that is no house bot. */
export const levelOf = (user: string): string | null => /^house-(.+)-[0-9a-f]{12}$/.exec(user)?.[1] ?? null;
