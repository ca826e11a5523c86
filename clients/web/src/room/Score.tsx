/** Where the score of a game comes from: what counts for each color, added up. */

import type { Account, GameDocument } from "@pierule/client";
import { texts } from "../texts";
import { sumText } from "./account";
import type { Color } from "./seats";
import "../styles/score.css";

export function Score({ game, account }: { game: GameDocument; account: Account | null }) {
  const { sums } = account ?? {};
  if (!sums?.length) return null;
  return (
    <section class="sums" aria-label={texts.value.room.score}>
      {(["black", "white"] as const).map((color) => (
        <Side key={color} game={game} color={color} sums={sums.filter((sum) => sum.color === color)} />
      ))}
    </section>
  );
}

interface SideProps {
  game: GameDocument;
  color: Color;
  sums: NonNullable<Account["sums"]>;
}

function Side({ game, color, sums }: SideProps) {
  return (
    <table>
      <caption>
        <span class={`token ${color}`} aria-hidden="true" /> {texts.value.colors[color]}
      </caption>
      <tbody>
        {sums.map(({ kind, numbers, value }, at) => (
          <tr key={at}>
            <th scope="row">{sumText(game, kind, numbers ?? [])}</th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{texts.value.room.score}</th>
          <td>{sums.reduce((all, { value }) => all + value, 0)}</td>
        </tr>
      </tfoot>
    </table>
  );
}
