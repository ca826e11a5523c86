/** What comes of a room, said aloud and with its sound. */

import type { GameDocument } from "@pierule/client";
import { useEffect } from "preact/hooks";
import { announce } from "../announce";
import { changesOf, pointsChanged } from "../board/changes";
import { textsOf, wordText } from "../games/words";
import { connected } from "../server";
import { play } from "../sounds";
import { fillPoints, texts } from "../texts";
import { newsText } from "./Agreements";
import { nameOf } from "./Players";
import type { Table } from "./table";

/** Say aloud what was played or offered, and play its sound. */
export function useNews(table: Table, game: GameDocument): void {
  const fresh = table.fresh.value;
  useEffect(() => {
    if (!fresh) return;
    announce(playedText(table, game, fresh));
    play(table.acting.value === null ? "action" : "turn");
  }, [fresh]);
  const offers = table.offers.value;
  useEffect(() => {
    for (const news of offers) announce(newsText(table, news));
    if (offers.some(({ how, by }) => how === "offered" && !table.seats.value.includes(by))) play("offer");
  }, [offers]);
  useKeptBack(table, game);
}

/** An action, and what it has changed. */
function playedText(table: Table, game: GameDocument, { ply, action }: { ply: number; action: string }) {
  const { board, and } = texts.value;
  const { size, cells } = table.state.value!.position;
  const before = table.history.at(ply - 1);
  const changes = changesOf(game, size, before?.cells ?? null, cells, action);
  const who = before?.to_act == null ? "" : nameOf(table, before.to_act);
  const more = textsOf(game).changes.map((sentence, entry) => {
    const points = pointsChanged(changes, entry, size);
    return sentence && points.length ? fillPoints(sentence, points, and) : "";
  });
  return [board.played(who, wordText(game, action)), ...more.filter(Boolean)].join(" ");
}

/** Say aloud that what you have played waits for a connection. */
function useKeptBack(table: Table, game: GameDocument): void {
  const sent = table.sent.value;
  const waits = sent?.kind === "sending" && !connected.value ? sent : null;
  useEffect(() => {
    if (waits) announce(texts.value.prompt.offline(wordText(game, waits.action)));
  }, [waits]);
}
