/** The first screen: make a game, go on with one, join or watch one. */

import { useEffect, useRef, useState } from "preact/hooks";
import { isKnown } from "../account/account";
import { LearnLink } from "../learn/LearnLink";
import { lobby } from "../lobby";
import { RecordDrop } from "../replay/RecordDrop";
import { status } from "../server";
import { texts } from "../texts";
import { Lists, MyGames } from "./Lists";
import { mine, refreshMine } from "./mine";
import { NewGame } from "./NewGame";
import { Recent } from "./Recent";
import { Shows } from "./Shows";

/** The server does not tell every change of turn in your games. While you have any, the page asks this
 * often, in ms. */
const REFRESH = 10_000;

/** What this is, and for those who are new what it is about. */
const Greeting = ({ isNew }: { isNew: boolean }) => (
  <header class="welcome">
    <p class="tagline">{texts.value.tagline}</p>
    {isNew && (
      <>
        <p class="lead">{texts.value.lead}</p>
        <LearnLink />
      </>
    )}
  </header>
);

export function HomeScreen() {
  const { home } = texts.value;
  const online = status.value.kind === "online";
  // Whoever has games sees them first. What becomes of them meanwhile moves nothing.
  const [returns] = useState(() => mine.peek().some(({ status: of }) => of !== "over"));
  const [isFirst] = useState(() => !mine.peek().length);
  const isNew = isFirst && !isKnown.value;
  const own = new Set(mine.value.filter((game) => game.status !== "over").map(({ room }) => room));
  const cards = lobby.value?.rooms.filter(({ card }) => own.has(card.room)) ?? [];
  const seen = cards.map(({ card }) => `${card.room} ${card.turn}`).join();
  useEffect(() => {
    if (!online) return;
    void refreshMine();
    const timer = setInterval(() => own.size && !document.hidden && void refreshMine(), REFRESH);
    return () => clearInterval(timer);
  }, [online, seen, own.size]);
  // What is below the first list comes with the lobby, or it would jump then.
  const isReady = useRef(false);
  isReady.current ||= lobby.value !== null || !["connecting", "online"].includes(status.value.kind);
  return (
    <div class="home">
      <Greeting isNew={isNew} />
      {returns && <MyGames />}
      <NewGame />
      <Shows />
      <Lists mine={!returns} isReady={isReady.current} />
      {isReady.current && <Recent />}
      {isReady.current && (
        <section class="record" aria-labelledby="record">
          <h2 id="record">{home.recordTitle}</h2>
          <RecordDrop drop={home.recordHint} open={home.recordOpen} />
        </section>
      )}
    </div>
  );
}
