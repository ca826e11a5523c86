/** The first screen: make a game, go on with one, join or watch one. */

import type { Card } from "@pierule/client";
import { useEffect, useState } from "preact/hooks";
import { roomPath } from "../route";
import { client, status, welcome } from "../server";
import { texts } from "../texts";
import { RecordDrop } from "../replay/RecordDrop";
import { forget, mine, type MyGame } from "./mine";
import { NewGame } from "./NewGame";
import { byPeople, isBots, LISTED } from "./finding";
import { clockText } from "./options";

const REFRESH = 5_000;

/** The rooms that are open or running, read now and then while the screen is seen. */
function useCards(): readonly Card[] | null {
  const [cards, setCards] = useState<readonly Card[] | null>(null);
  const online = status.value.kind === "online";
  useEffect(() => {
    if (!online) return;
    let over = false;
    const read = () => {
      if (document.hidden) return;
      client.request({ type: "rooms", limit: LISTED }).then(
        ({ rooms }) => !over && setCards(rooms ?? []),
        () => {}, // refused or stopped: what is shown stays, and the status tells
      );
    };
    read();
    const timer = setInterval(read, REFRESH);
    document.addEventListener("visibilitychange", read);
    return () => {
      over = true;
      clearInterval(timer);
      document.removeEventListener("visibilitychange", read);
    };
  }, [online, welcome.value?.user]);
  return cards;
}

export function HomeScreen() {
  const { home } = texts.value;
  const cards = useCards();
  const own = new Set(mine.value.map(({ room }) => room));
  const others = cards?.filter(({ room }) => !own.has(room));
  const open = others && byPeople(others.filter(({ status: of }) => of === "open"));
  const running = others?.filter(({ status: of }) => of === "running");
  return (
    <div class="home">
      <p class="tagline">{texts.value.tagline}</p>
      <NewGame />
      <div class="lists">
        <List title={home.mine} empty={home.noMine}>
          {mine.value.map((game) => (
            <Mine key={game.room} game={game} />
          ))}
        </List>
        <List title={home.open} empty={cards ? home.noOpen : home.loading}>
          {(open ?? []).map((card) => (
            <Listed key={card.room} card={card} verb={home.join} />
          ))}
        </List>
        <List title={home.running} empty={cards ? home.noRunning : home.loading}>
          {(running ?? []).map((card) => (
            <Listed key={card.room} card={card} verb={home.watch} />
          ))}
        </List>
      </div>
      <section class="record" aria-labelledby="record">
        <h2 id="record">{home.recordTitle}</h2>
        <RecordDrop text={home.recordHint} />
      </section>
    </div>
  );
}

function List({
  title,
  empty,
  children,
}: {
  title: string;
  empty: string;
  children: preact.ComponentChildren[];
}) {
  return (
    <section class="list">
      <h2>{title}</h2>
      {children.length ? <ul>{children}</ul> : <p class="empty">{empty}</p>}
    </section>
  );
}

function Listed({ card, verb }: { card: Card; verb: string }) {
  const { home, games } = texts.value;
  const players = card.names.map((name) => name ?? home.nobody).join(` ${home.versus} `);
  const path = card.status === "open" ? `${roomPath(card.room)}/play` : roomPath(card.room);
  return (
    <li>
      <span class="what">
        <strong>{games[card.game]?.name ?? card.game}</strong> {home.sizeOf(card.size)}
        <span class="clock-text">{clockText(texts.value, card.control)}</span>
      </span>
      <span class="names">
        {players}
        {isBots(card) && <span class="tag">{home.bot}</span>}
      </span>
      <a class="button" href={path} aria-label={`${verb}: ${card.room}, ${players}`}>
        {verb}
      </a>
    </li>
  );
}

function Mine({ game }: { game: MyGame }) {
  const { home, games } = texts.value;
  const state = game.mine
    ? home.yourTurn
    : game.status === "over"
      ? home.over
      : game.status === "open"
        ? home.waiting
        : "";
  const verb = game.status === "over" ? home.look : home.back;
  const players = game.names.map((name) => name ?? home.nobody).join(` ${home.versus} `);
  return (
    <li class={game.mine ? "mine" : ""}>
      <span class="what">
        <strong>{games[game.game]?.name ?? game.game}</strong> {home.sizeOf(game.size)}
        {state && <span class={`state ${game.mine ? "turn" : ""}`}>{state}</span>}
      </span>
      <span class="names">{players}</span>
      <a
        class="button"
        href={roomPath(game.room, game.invitation)}
        aria-label={`${verb}: ${game.room}, ${players}`}
      >
        {verb}
      </a>
      {game.status === "over" && (
        <button class="link" aria-label={home.forget(game.room)} onClick={() => forget(game.room)}>
          ×
        </button>
      )}
    </li>
  );
}
