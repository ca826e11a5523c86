/** The house bots as cards. A tap on a card begins a game with the bot. */

import type { Create, FreeBots } from "@pierule/client";
import { named } from "../account/account";
import { seekBot, seeking } from "../meeting/meeting";
import { lobby } from "../lobby";
import { once } from "../pressing";
import { ratesBots, welcome } from "../server";
import { texts } from "../texts";
import { botName, inOrder, strengthOf } from "./bots";
import { Face } from "./Face";
import type { Wanted } from "./NewGame";

interface BotCardsProps {
  wanted: Wanted | null;
  /** Whether the game is to count for ratings. */
  rated: Create["rated"];
}

export function BotCards({ wanted, rated }: BotCardsProps) {
  const { bots, rating } = texts.value;
  const levels = inOrder(lobby.value?.levels ?? []);
  // Until the lobby comes, their place is kept free, so that nothing below it jumps.
  const expected = !lobby.value && welcome.value?.features.includes("bot_levels") !== false;
  if (!levels.length && !expected) return null;
  return (
    <section class="opponents" aria-labelledby="opponents">
      <h2 id="opponents">{bots.title}</h2>
      <ul>
        {levels.map((each) => (
          <Card key={each.bot_level} of={each} wanted={wanted} rated={rated} />
        ))}
      </ul>
      {ratesBots.value && named.value && rated !== "no" && <p class="hint-text">{rating.bots.counts}</p>}
    </section>
  );
}

type Sought = Pick<Wanted, "game" | "size"> & { clock?: unknown };

const isSame = (one: Sought, other: Sought): boolean =>
  JSON.stringify([one.game, one.size, one.clock]) === JSON.stringify([other.game, other.size, other.clock]);

function Card({ of: { bot_level: level, free }, wanted, rated }: BotCardsProps & { of: FreeBots }) {
  const { bots } = texts.value;
  const name = botName(level);
  const strength = strengthOf(bots, level);
  const state = free ? bots.free : bots.busy;
  const sought = seeking()?.what;
  const isWanted = !!wanted && sought?.bot_level === level && isSame(sought, wanted);
  const begin = () => {
    if (!wanted || isWanted) return;
    seekBot(level, wanted, rated);
    scrollTo({ top: 0 });
  };
  return (
    <li>
      {/* The button stays enabled while the bot is sought: a disabled one would lose the focus. */}
      <button
        type="button"
        class="bot-card"
        disabled={!wanted}
        aria-disabled={isWanted}
        onClick={once(begin)}
      >
        <Face level={level} />
        <span class="aloud">{`${bots.play(name)}: ${strength}, ${state}`}</span>
        <span class="bot-text" aria-hidden="true">
          <span class="bot-name">{name}</span>
          <span class="bot-level">{free ? strength : `${strength}, ${state}`}</span>
        </span>
      </button>
    </li>
  );
}
