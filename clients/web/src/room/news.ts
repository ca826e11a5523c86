/** What comes of a room, said aloud and with its sound. */

import type { GameDocument } from "@pierule/client";
import { useEffect, useRef } from "preact/hooks";
import { announce } from "../announce";
import { changesOf, pointsChanged } from "../board/changes";
import { textsOf, wordText } from "../games/words";
import { connected } from "../server";
import { play } from "../sounds";
import { fillPoints, texts } from "../texts";
import { newsText } from "./Agreements";
import { nameOf } from "./Players";
import { plyText } from "./plies";
import { fateText, resultText } from "./result";
import type { Table } from "./table";

/** Say aloud what was played, offered or decided, and play its sound. */
export function useNews(table: Table, game: GameDocument): void {
  const fresh = table.fresh.value;
  const offers = table.offers.value;
  const end = endOf(table);
  const told = useRef<Told>({ fresh: null, offers: [], end });
  useEffect(() => {
    const before = told.current;
    told.current = { fresh, offers, end };
    const said: string[] = [];
    if (fresh && fresh !== before.fresh) said.push(playedText(table, game, fresh));
    // What became of offers goes without saying at the end: either that is it, or they have lapsed.
    if (end && end !== before.end) said.push(endText(table, game));
    else if (offers !== before.offers) said.push(...offers.map((news) => newsText(table, news)));
    if (said.length) announce(said.join(" "));
  }, [fresh, offers, end]);
  useEffect(() => {
    if (fresh) play(table.acting.value === null ? "action" : "turn");
  }, [fresh]);
  useEffect(() => {
    if (offers.some(({ how, by }) => how === "offered" && !table.seats.value.includes(by))) play("offer");
  }, [offers]);
  useKeptBack(table, game);
}

/** Look at a ply, and say aloud what is shown then. */
export const lookingAt =
  (table: Table, game: GameDocument) =>
  (to: number): void =>
    void table.look(to).then(() => {
      if (table.ply.value !== to) return; // it cannot be shown, or you have gone on
      announce(plyText(game, to, table.state.value!.actions[to - 1] ?? "", table.position.value!));
    });

/** What was news, or nothing new any more. */
interface Told {
  fresh: Table["fresh"]["value"];
  offers: Table["offers"]["value"];
  /** Which end; null: it goes on. */
  end: string | null;
}

/** How the game ended, as a word that changes when its result does, such as when operators void it. */
function endOf(table: Table): string | null {
  const { status, result } = table.state.value!;
  return status === "over" && result ? `${result.winner} ${result.reason}` : null;
}

/** The end of a game for whoever sees it. */
export function endText(table: Table, game: GameDocument): string {
  const state = table.state.value!;
  const seats = table.seats.value;
  const names = [nameOf(table, 0), nameOf(table, 1)];
  return seats.length === 1 ? fateText(game, state, names, seats[0]!) : resultText(game, state, names);
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
