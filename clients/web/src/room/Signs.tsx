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
import { ABSENT, isAbove, signsOf, wayTo, type Sign, type Way } from "./signs";
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
        {signs.map((sign) => (
          <Raised key={sign.key} {...{ sign, table, chatting, above }} />
        ))}
        {absent && (
          <Later at={absent.from} show={() => <Raised sign={ABSENT} {...{ table, chatting, above }} />} />
        )}
      </div>
    </div>
  );
}

interface RaisedProps extends SignsProps {
  sign: Sign;
}

/** A sign, if it stands at this edge. */
function Raised({ sign, table, chatting, above }: RaisedProps) {
  const sight = useSight(sign);
  const isHere = sight === "here";
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    if (isHere) setSeen(true);
    const timer = setTimeout(() => setSeen(true), STAYS);
    return () => clearTimeout(timer);
  }, [isHere]);
  if (!sight || isHere || isAbove(sight) !== above || (seen && !sign.lasts)) return null;
  const reveal = () => (sign.kind === "chat" ? chatting.show() : toTop(sign));
  return (
    <button class={`sign ${sight} to-${sign.kind} ${sign.lasts ? "" : "passing"}`} onClick={once(reveal)}>
      {textOf(sign, table)}
    </button>
  );
}

/** Where the thing of a sign is: in sight, or which way; null while that is not known. */
function useSight({ at, share }: Sign): Way | "here" | null {
  const [sight, setSight] = useState<Way | "here" | null>(null);
  useEffect(() => {
    const element = document.querySelector(at);
    if (!element) return;
    let isHere: boolean | null = null;
    const look = () => setSight(isHere === null ? null : isHere ? "here" : wayFrom(element));
    const stop = watch(element, (seen) => {
      isHere = seen.intersectionRatio >= share;
      look();
    });
    addEventListener("scroll", look, { capture: true, passive: true }); // a jump may pass over the thing
    return () => {
      stop();
      removeEventListener("scroll", look, { capture: true });
    };
  }, [at]);
  return sight;
}

function wayFrom(element: Element): Way {
  const field = document.querySelector(".say input")?.getBoundingClientRect() ?? null;
  return wayTo(element.getBoundingClientRect(), field, innerHeight);
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
