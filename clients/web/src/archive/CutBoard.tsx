/** The board after a cut, for those who want to see it. */

import type { GameDocument } from "@pierule/client";
import { useState } from "preact/hooks";
import { Board } from "../board/Board";
import { client } from "../server";
import { texts } from "../texts";
import { useAnswer } from "./source";
import { Unanswered } from "./Unanswered";

interface CutBoardProps {
  game: GameDocument;
  size: number;
  rules: number;
  cut: string;
}

export function CutBoard(props: CutBoardProps) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{texts.value.archive.cuts.board}</summary>
      {open && <Shown {...props} />}
    </details>
  );
}

function Shown({ game, size, rules, cut }: CutBoardProps) {
  const { answer, error, again } = useAnswer(cut, () =>
    client.replay({ game: game.game, size, rules, actions: [cut] }, 1),
  );
  const position = answer?.at(-1);
  if (!position) return <Unanswered error={error} again={again} unknown="" />;
  return (
    <div class="cut-board">
      <Board game={game} size={size} cells={position.cells} label={cut} />
    </div>
  );
}
