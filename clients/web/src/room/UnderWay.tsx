/** What a player has asked for and the server has not answered: it may wait for a connection, and can be
 * called back meanwhile. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { connected } from "../server";
import { texts } from "../texts";
import type { Asked, Table } from "./table";

/** An answer that takes longer than this, in ms, is waited for visibly. */
const SOON = 1_000;

/** The requests of these kinds that have no answer. */
export function UnderWay({ table, kinds }: { table: Table; kinds: readonly Asked["kind"][] }) {
  const { agreements } = texts.value;
  const [asked] = table.asked.value.filter(({ kind }) => kinds.includes(kind));
  const late = useLate(asked);
  const shown = asked && (!connected.value || late);
  const note = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => note.current?.scrollIntoView({ block: "nearest" }), [shown]);
  if (!shown) return null;
  const what = askedText(asked);
  return (
    <p ref={note} class="note" role="status">
      {connected.value ? agreements.sending(what) : agreements.queued(what)}{" "}
      {!connected.value && <Unsend table={table} type={asked.kind} />}
    </p>
  );
}

/** Call back what waits for a connection. */
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

/** A request, as its button calls it. */
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
