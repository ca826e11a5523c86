/** Which cuts were offered in a game, which colors were chosen, and who won (SPEC 27.13). */

import type { archive as Archive, GameOptions } from "@pierule/client";
import { useState } from "preact/hooks";
import { gameOf } from "../games/documents";
import { GameTabs } from "../games/GameTabs";
import { gameName, titleOf, wordText } from "../games/words";
import { choices, sizeOf } from "../home/choices";
import { SizeChoice } from "../home/NewGame";
import { refine, type Search } from "../route";
import { welcome } from "../server";
import { texts } from "../texts";
import { useTitle } from "../title";
import { CutBoard } from "./CutBoard";
import { Between, BotChoice, Folded, RatingChoice, type FiltersProps } from "./Filters";
import { Interval } from "./Interval";
import { countingOf, cutsOf, isBackward } from "./searching";
import { isArchived, source, useAnswer } from "./source";
import { Tabs } from "./Tabs";
import { Unanswered } from "./Unanswered";
import { outcomeText, percent } from "./words";

export function CutsScreen({ game, search }: { game: string | null; search: Search }) {
  const { archive, rules } = texts.value;
  const games = welcome.value?.games ?? [];
  const chosen = games.find((each) => each.game === (game ?? games[0]?.game));
  const title = archive.cuts.title(gameName(chosen?.game ?? game ?? ""));
  useTitle(title);
  return (
    <div class="archive">
      <h1>{title}</h1>
      <Tabs at="cuts" />
      <GameTabs
        label={archive.tabs.cuts}
        games={games.map((each) => each.game)}
        chosen={chosen?.game}
        path={(name) => `#/cuts/${name}`}
      />
      <p class="note">{archive.cuts.about}</p>
      {games.length > 0 && !chosen && <p role="alert">{rules.unknown(game!)}</p>}
      {chosen && (
        <Explored
          key={chosen.game}
          game={chosen}
          search={search}
          refine={(wanted) => refine(`#/cuts/${chosen.game}`, wanted)}
        />
      )}
    </div>
  );
}

const SORTS = ["often", "fair", "cut"] as const;
type Sort = (typeof SORTS)[number];

function Explored({ game, ...props }: FiltersProps & { game: GameOptions }) {
  const { archive } = texts.value;
  const [sort, setSort] = useState<Sort>("often");
  const asked = countingOf(props.search);
  const backward = isBackward(props.search);
  const offered = sizeOf(game, choices.value.sizes);
  const key = isArchived.value && !backward ? JSON.stringify(asked) : null;
  const { answer, error, again } = useAnswer(key, () => cutsOf(source, game.game, asked, offered));
  const size = asked.size ?? answer?.size ?? offered;
  const empty = archive.cuts.empty(titleOf(game.game, size));
  return (
    <>
      <CutFilters {...props} game={game} size={size} sort={sort} setSort={setSort} />
      {!answer && !backward && <Unanswered error={error} again={again} unknown={empty} />}
      {answer && !answer.cuts.length && <p class="empty">{empty}</p>}
      {answer?.first && <p class="note">{archive.cuts.partly(answer.first)}</p>}
      {answer && <CutList cuts={answer} sort={sort} />}
    </>
  );
}

interface CutFiltersProps extends FiltersProps {
  game: GameOptions;
  /** The board that is shown. */
  size: number;
  sort: Sort;
  setSort: (sort: Sort) => void;
}

function CutFilters({ game, size, sort, setSort, search, refine }: CutFiltersProps) {
  const { archive } = texts.value;
  // Whoever filters goes on with the board that they see.
  const props = { search, refine: (wanted: Search) => refine({ ...wanted, size: `${size}` }) };
  return (
    <Folded search={search}>
      <SizeChoice of={game} size={size} choose={(size) => refine({ ...search, size: `${size}` })} />
      <Between {...props} type="month" />
      <BotChoice {...props} />
      <RatingChoice {...props} />
      <label>
        {archive.cuts.sort}
        <select value={sort} onChange={(event) => setSort(event.currentTarget.value as Sort)}>
          {SORTS.map((each) => (
            <option key={each} value={each}>
              {archive.cuts.sorts[each]}
            </option>
          ))}
        </select>
      </label>
    </Folded>
  );
}

/** How far a cut is from a fair one. Cuts of which there are few games come last. */
const unfairness = ({ chooser: { share, few } }: Archive.CutLine): number =>
  share === null ? 3 : Math.abs(share - 0.5) + Number(few);

const ORDERS: Record<Sort, (a: Archive.CutLine, b: Archive.CutLine) => number> = {
  often: (a, b) => b.results.games - a.results.games,
  fair: (a, b) => unfairness(a) - unfairness(b),
  cut: (a, b) => a.cut.localeCompare(b.cut, "en", { numeric: true }),
};

function CutList({ cuts: { game, size, cuts }, sort }: { cuts: Archive.Cuts; sort: Sort }) {
  const all = cuts.reduce((sum, { results }) => sum + results.games, 0);
  const newest = Math.max(...cuts.map(({ rules }) => rules));
  return (
    <ol class="cuts">
      {[...cuts].sort(ORDERS[sort]).map((cut) => (
        <Cut
          key={`${cut.rules} ${cut.cut}`}
          game={game}
          size={size}
          cut={cut}
          all={all}
          isOld={cut.rules !== newest}
        />
      ))}
    </ol>
  );
}

interface CutProps {
  game: string;
  size: number;
  cut: Archive.CutLine;
  all: number;
  isOld: boolean;
}

function Cut({ game, size, cut: { cut, rules, results, chosen, chooser }, all, isOld }: CutProps) {
  const { archive, colors } = texts.value;
  const words = archive.cuts;
  const document = gameOf(game);
  const answered = Object.entries(chosen).map(([color, { games }]) => [color, games] as const);
  const answers = answered.reduce((sum, [, games]) => sum + games, 0);
  return (
    <li>
      <h2>{document ? wordText(document, cut) : cut}</h2>
      <p>
        {words.offered(results.games, percent(results.games / all))}
        {isOld && <span class="tag">{words.rules(rules)}</span>}
        <span class="part" aria-hidden="true" style={{ "--part": results.games / all }} />
      </p>
      <p>
        {words.chosen}:{" "}
        {answered
          .map(([color, games]) => `${colors[color as "black" | "white"]} ${percent(games / answers)}`)
          .join(", ") || archive.unknown}
        <br />
        {words.won}: {outcomeText(results)}
      </p>
      <Interval label={words.chooser} of={chooser} />
      {document && !/^\w+:/.test(cut) && <CutBoard game={document} size={size} rules={rules} cut={cut} />}
    </li>
  );
}
