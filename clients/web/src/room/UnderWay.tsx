/** What a player has asked for and the server has not answered. While it waits for a connection, the
 * player can take it back. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { announce } from "../announce";
import { connected } from "../server";
import { texts } from "../texts";
import type { Asked, Table } from "./table";

/** If an answer takes longer than this, in ms, the page shows that it waits. */
const SOON = 1_000;

/** The first request of these kinds that has no answer. */
export function UnderWay({ table, kinds }: { table: Table; kinds: readonly Asked["kind"][] }) {
  const { agreements } = texts.value;
  const [asked] = table.asked.value.filter(({ kind }) => kinds.includes(kind));
  const late = useLate(asked);
  const shown = asked && (!connected.value || late);
  const note = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => note.current?.scrollIntoView({ block: "nearest" }), [shown]);
  const told = shown ? agreements[connected.value ? "sending" : "queued"](askedText(asked)) : "";
  // A live region that is new itself would often be passed over.
  useEffect(() => void (told && announce(told)), [told]);
  if (!shown) return null;
  return (
    <p ref={note} class="note">
      {told} {!connected.value && <Unsend table={table} type={asked.kind} />}
    </p>
  );
}

/** Takes back what waits for a connection. */
export const Unsend = ({ table, type }: { table: Table; type: Asked["kind"] | "act" }) => (
  <button class="link" onClick={() => table.cancel(type)}>
    {texts.value.agreements.unsend}
  </button>
);

function useLate(asked: Asked | undefined): boolean {
  const [late, setLate] = useState<Asked>();
  useEffect(() => {
    const timer = setTimeout(() => setLate(asked), SOON);
    return () => clearTimeout(timer);
  }, [asked]);
  return asked !== undefined && asked === late;
}

/** A request, in the words of its button. */
function askedText({ kind, what, outcome }: Asked): string {
  const { agreements, room, absence } = texts.value;
  switch (kind) {
    case "resign":
      return room.resign;
    case "abort":
      return agreements.abort;
    case "claim":
      return absence[outcome!];
    case "offer":
      return agreements.offer[what!];
    default:
      return `${agreements[kind]}: ${agreements.nouns[what!]}`;
  }
}
