/** All finished games of the archive, and filters for them. */

import { useRef } from "preact/hooks";
import { offline } from "../offline/offline";
import { refine, type Search } from "../route";
import { texts } from "../texts";
import { useTitle } from "../title";
import { Filters } from "./Filters";
import { Opened } from "./Opened";
import { GameList } from "./GameList";
import { isArchived, source, useGames } from "./source";
import { isBackward, searchOf } from "./searching";
import { Tabs } from "./Tabs";

const STEP = 50;

export function GamesScreen({ search }: { search: Search }) {
  const { archive, people } = texts.value;
  useTitle(archive.title);
  const asked = searchOf(search);
  const key = JSON.stringify(asked);
  // A list stays in sight when the connection is lost, so that readers keep their place.
  const listed = useRef<string | null>(null);
  const backward = isBackward(search);
  const asks = isArchived.value && !backward && (!offline.value || listed.current === key);
  const games = useGames(asks ? key : null, STEP, (after, limit) => source.games({ ...asked, after, limit }));
  listed.current = games.lines.length ? key : null;
  const unknown = search.player
    ? `${archive.player.unknown(search.player)} ${people.wholeName}`
    : archive.empty;
  return (
    <div class="archive">
      <h1>{archive.title}</h1>
      <Tabs at="games" />
      {offline.value && !games.lines.length ? (
        <Opened />
      ) : (
        <>
          <Filters of="all" search={search} refine={(wanted) => refine("#/games", wanted)} />
          {!backward && <GameList key={key} title={archive.tabs.games} games={games} unknown={unknown} />}
        </>
      )}
    </div>
  );
}
