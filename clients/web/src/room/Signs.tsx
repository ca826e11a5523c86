/** At the edges of a room, over whatever you have scrolled to: what waits for you out of sight. A press leads
 * there. Screen readers hear of each thing when it comes, so the signs themselves are silent. */

import { useEffect, useState } from "preact/hooks";
import { once } from "../pressing";
import { texts } from "../texts";
import { absenceOf, Later } from "./Absence";
import { newsText, offeredText } from "./Agreements";
import type { ChatModel } from "./chatModel";
import { toBoard } from "./focus";
import { watch } from "./sight";
import { ABSENT, isAbove, signsOf, type Sign } from "./signs";
import type { Table } from "./table";
import "../styles/signs.css";

/** How long a sign stays if nothing waits for you, in ms. */
const STAYS = 8_000;

interface SignsProps {
  table: Table;
  chatting: ChatModel;
  /** Whether these are the signs at the upper edge. */
  above: boolean;
}

export function Signs({ table, chatting, above }: SignsProps) {
  const signs = signsOf({
    state: table.state.value!,
    seats: table.seats.value,
    acting: table.viewed.value === null ? table.acting.value : null,
    news: table.offers.value,
    unread: chatting.unread.value,
  });
  const absent = absenceOf(table);
  if (table.isGone.value) return null;
  return (
    <div class={above ? "signs above" : "signs"}>
      <div>
        {signs
          .filter((sign) => isAbove(sign) === above)
          .map((sign) => (
            <Raised key={sign.key} sign={sign} table={table} chatting={chatting} />
          ))}
        {above && absent && (
          <Later at={absent.from} show={() => <Raised sign={ABSENT} table={table} chatting={chatting} />} />
        )}
      </div>
    </div>
  );
}

interface RaisedProps {
  sign: Sign;
  table: Table;
  chatting: ChatModel;
}

function Raised({ sign, table, chatting }: RaisedProps) {
  const inSight = useSight(sign);
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    if (inSight) setSeen(true);
    const timer = setTimeout(() => setSeen(true), STAYS);
    return () => clearTimeout(timer);
  }, [inSight]);
  if (inSight !== false || (seen && !sign.lasts)) return null;
  const reveal = () => (sign.kind === "chat" ? chatting.show() : toTop(sign));
  return (
    <button class={`sign to-${sign.kind}`} onClick={once(reveal)}>
      {textOf(sign, table)}
    </button>
  );
}

/** Whether the thing of a sign is in sight; null while that is not known. */
function useSight({ at, share }: Sign): boolean | null {
  const [inSight, setInSight] = useState<boolean | null>(null);
  useEffect(() => {
    const element = document.querySelector(at);
    if (element) return watch(element, (seen) => setInSight(seen.intersectionRatio >= share));
  }, [at]);
  return inSight;
}

function textOf(sign: Sign, table: Table): string {
  const { absence, agreements, calls, chat } = texts.value;
  switch (sign.kind) {
    case "absence":
      return absence.title;
    case "turn":
      return calls.title;
    case "chat":
      return `${chat.title}: ${chat.unread(sign.unread)}`;
    case "news":
      return newsText(table, sign.news);
    default:
      return table.seats.value.includes(sign.by)
        ? agreements.standing[sign.what]
        : offeredText(table, sign.what, sign.by);
  }
}

/** Back to the board, where everything stands that waits for a player. */
function toTop({ at }: Sign): void {
  document.getElementById("main")?.scrollTo({ top: 0 });
  document.querySelector(at)?.scrollIntoView({ block: "nearest" });
  toBoard();
}
