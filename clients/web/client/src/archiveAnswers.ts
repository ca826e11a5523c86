// Written from the archive's API by `make generated`: do not edit.

export type Line = GameLine | PrivateLine | SupersededLine | AmendmentLine;

/** A game in a list. */
export interface GameLine {
  /** the feed number */
  feed: number;
  room: string;
  /** with `room` it names the game: SHA-256 of its first event's line */
  created_hash: string;
  epoch: number;
  access: "private" | "public" | "unlisted";
  game: string;
  rules: number;
  size: number;
  cut: string | null;
  komi: number | null;
  black: number | null;
  players: [Seated, Seated];
  clock: Fischer | Byoyomi | Turnwise | Correspondence | null;
  category: "correspondence" | "live" | "none";
  rated: boolean;
  ratings: [Rated, Rated] | null;
  result: Result;
  plies: number;
  /** milliseconds since 1970 */
  started: number;
  /** milliseconds since 1970 */
  ended: number;
  rematch_of: string | null;
  amendment: Amendment | null;
  /** pass it as `after` to get the next line */
  cursor: string;
}

/** A player of a game: the id, the present name (null if the account was deleted), and whether it was a bot. */
export interface Seated {
  id: string;
  name: string | null;
  bot: boolean;
}

/** Main time, and an increment for each turn. At least one of them is not 0. */
export interface Fischer {
  kind: "fischer";
  main: number;
  increment?: number;
}

/** Main time, then periods that begin anew with each turn (Japanese byo-yomi). */
export interface Byoyomi {
  kind: "byoyomi";
  main: number;
  periods: number;
  period: number;
}

/** The same time for each turn; unused time is lost. */
export interface Turnwise {
  kind: "turnwise";
  time: number;
}

/** Days for each turn. */
export interface Correspondence {
  kind: "correspondence";
  days: number;
}

/** How a game changed the rating of a player. */
export interface Rated {
  before: RatingValue;
  after: RatingValue;
}

/** A rating (SPEC 30.3): the estimated strength, its deviation, and the number of rated games. Numbers are strings with all digits. */
export interface RatingValue {
  /** decimal, with 6 digits after the point */
  rating: string;
  /** decimal, with 6 digits after the point */
  deviation: string;
  games: number;
  /** whether the deviation is above 110 (SPEC 30.5) */
  provisional: boolean;
}

/** How a room ended: `played` (by the rules), `resigned`, `flagged` (time was up), `agreed` (a draw), `left` (a player was gone, and the opponent claimed the game), `aborted` (by a player, or because it did not begin in time or was abandoned), `closed` (by the operators, or by the server as in SPEC 9.11), or `voided` (by the operators, after its end). The last three have no winner. */
export interface Result {
  winner: 0 | 1 | "draw" | null;
  reason: string;
}

/** A decision of the operators about a game after its end. `void`: the result does not count. */
export interface Amendment {
  /** the feed number */
  feed: number;
  kind: string;
  /** milliseconds since 1970 */
  at: number;
  /** the reason, in the operators' words */
  text: string;
}

/** The number of a private game, or of an amendment to one, without anything else. */
export interface PrivateLine {
  /** the feed number */
  feed: number;
  /** always true */
  private?: boolean;
  /** pass it as `after` to get the next line */
  cursor: string;
}

/** The number of a record that a later one replaces, because the store had lost the end of the game. */
export interface SupersededLine {
  /** the feed number */
  feed: number;
  /** the feed number */
  superseded_by: number;
  /** pass it as `after` to get the next line */
  cursor: string;
}

/** An amendment in a list, with the feed number and the room of its game. */
export interface AmendmentLine {
  /** the feed number */
  feed: number;
  kind: string;
  /** milliseconds since 1970 */
  at: number;
  /** the reason, in the operators' words */
  text: string;
  /** the feed number */
  amends: number;
  room: string;
  /** pass it as `after` to get the next line */
  cursor: string;
}

/** A game with the actions that stood at its end (null if its rules are not installed here), all events up to its end, and why it does not count for ratings (SPEC 30.2; null if it counts, or the rules are missing). */
export interface WholeGame {
  /** the feed number */
  feed: number;
  room: string;
  /** with `room` it names the game: SHA-256 of its first event's line */
  created_hash: string;
  epoch: number;
  access: "private" | "public" | "unlisted";
  game: string;
  rules: number;
  size: number;
  cut: string | null;
  komi: number | null;
  black: number | null;
  players: [Seated, Seated];
  clock: Fischer | Byoyomi | Turnwise | Correspondence | null;
  category: "correspondence" | "live" | "none";
  rated: boolean;
  ratings: [Rated, Rated] | null;
  result: Result;
  plies: number;
  /** milliseconds since 1970 */
  started: number;
  /** milliseconds since 1970 */
  ended: number;
  rematch_of: string | null;
  amendment: Amendment | null;
  actions: string[] | null;
  unrated: "aborted" | "before" | "bot" | "closed" | "guest" | "private" | "same_player" | "short" | "voided" | "wish" | null;
  events: GameEvent[];
  proof?: Proof;
}

/** An event as in the record of a room (17.4). `digest` is missing if the rules of the game are not installed here. */
export interface GameEvent {
  epoch: number;
  seq: number;
  chain: number;
  /** milliseconds since 1970 */
  at: number;
  record: string;
  digest?: number;
}

/** The signature of a server that archived a game or acknowledged its events, and the id of its key (SPEC 28). */
export interface Proof {
  key: string;
  signature: string;
}

/** A player: the id, the present name (null if the account was deleted), and the end of the latest game that everybody may see. `namesakes` are ids of other players with this name, in upper or lower case. */
export interface Player {
  id: string;
  name: string | null;
  bot: boolean;
  /** milliseconds since 1970 */
  last: number;
  namesakes?: string[];
}

/** The ratings of a player, by game. `at` is the time of the deviations. */
export interface PlayerRatings {
  id: string;
  name: string | null;
  version: number;
  /** milliseconds since 1970 */
  at: number;
  ratings: PlayerRating[];
}

/** A player's present rating in a game, and the curve of the latest games, the oldest first. */
export interface PlayerRating {
  /** decimal, with 6 digits after the point */
  rating: string;
  /** decimal, with 6 digits after the point */
  deviation: string;
  games: number;
  /** whether the deviation is above 110 (SPEC 30.5) */
  provisional: boolean;
  game: string;
  /** milliseconds since 1970 */
  last: number;
  through: number;
  curve: Point[];
}

/** A point of a curve: a game, when it ended, and the rating after it. */
export interface Point {
  /** the feed number */
  feed: number;
  /** milliseconds since 1970 */
  ended: number;
  rating: string;
  deviation: string;
}

/** The players of a game (SPEC 30.5): a leaderboard begins with the highest rating, a table of all players is sorted by id. `version` is that of the model, `through` the last feed number that counts, and `at` the time of the deviations. `next` is the last id of this page, if there may be more. `bots` is a separate list, the strongest first. */
export interface Leaderboard {
  game: string;
  version: number;
  through: number;
  /** milliseconds since 1970 */
  at: number;
  players: Ranked[];
  next: string | null;
  bots: Anchor[];
}

/** A player in a table. `rank` is 1 for the highest rating; equal ratings share a rank. It is null in a table of all players. `last` is the end of the player's last rated game. */
export interface Ranked {
  /** decimal, with 6 digits after the point */
  rating: string;
  /** decimal, with 6 digits after the point */
  deviation: string;
  games: number;
  /** whether the deviation is above 110 (SPEC 30.5) */
  provisional: boolean;
  rank: number | null;
  player: Seated;
  /** milliseconds since 1970 */
  last: number;
}

/** A level of house bots and its fixed rating in a game (SPEC 30.9). `name` is the bot's name; null for a level that this server does not know. */
export interface Anchor {
  level: string;
  name: string | null;
  rating: number;
}

/** The cuts of a game on a size of board, the most frequent first. With `rating`, `first` is the feed number of the first rated game that counts; null: all count. */
export interface Cuts {
  game: string;
  size: number;
  /** games up to this feed number are counted; it is a little below the last */
  counted: number;
  first?: number | null;
  cuts: CutLine[];
}

/** A cut, the colors that were chosen, and the results. `chooser` is how often the player who chose the color won: after a fair cut, in half of the games. */
export interface CutLine {
  rules: number;
  cut: string;
  results: Results;
  chosen: Record<string, Results>;
  chooser: Interval;
}

/** How many games there were, and how many of them Black won, White won, and were draws. The others have no result. `share` is Black's share of the decided games. */
export interface Results {
  games: number;
  black: number;
  white: number;
  draws: number;
  share: Interval;
}

/** How many of the decided games somebody won: the share, and the limits of its 95 % confidence interval (Wilson's score interval). `few`: there are too few games to say much. */
export interface Interval {
  wins: number;
  games: number;
  share: number | null;
  low: number;
  high: number;
  few: boolean;
}

/** The actions that were played in a position, the most frequent first. `games` counts the games with these actions. `color` is to move; null before the colors are chosen. `played` repeats the parameter, as `moves` would have it; null without the parameter. */
export interface PositionMoves {
  game: string;
  size: number;
  /** 128 bits that identify the position */
  key: string;
  phase: string;
  color: string | null;
  games: number;
  /** games up to this feed number are counted; it is a little below the last */
  counted: number;
  moves: MoveLine[];
  played?: string | null;
}

/** An action that was played in a position. It stands for all actions that are equal by the board's symmetries. */
export interface MoveLine {
  action: string;
  results: Results;
}

/** How good positions of a line are (SPEC 27.17). `next` is the `first` of the next request; null at the end of the line. */
export interface Evaluations {
  game: string;
  rules: number;
  size: number;
  positions: Evaluated[];
  next: number | null;
}

/** A position of a line, after `ply` actions. `to_act` and `black` are seats, or null. `best` is the best action that the search found; null when the game is over. `played` is the score that seat 0 may expect after the next action of the line; null at its end. `depth` is how many plies the search looked ahead. */
export interface Evaluated {
  ply: number;
  to_act: number | null;
  black: number | null;
  /** the score that seat 0 may expect: 1 is a win, 0 a loss, 0.5 even */
  expected: number;
  best: string | null;
  played: number | null;
  depth: number;
}

/** The parameters of lists of all players' games. */
export interface SearchAll {
  /** the id of the game */
  game?: string;
  /** the size of the board */
  size?: number;
  /** whether a bot played */
  bot?: boolean;
  /** how fast: without clocks, in one sitting, or over days */
  category?: "correspondence" | "live" | "none";
  rated?: boolean;
  /** rated games before which both players had at least this rating */
  min_rating?: number;
  /** rated games before which both players had at most this rating */
  max_rating?: number;
  /** the seat that won, `draw` or `none`; of a player also `won` and `lost` */
  result?: "0" | "1" | "draw" | "lost" | "none" | "won";
  /** how the game ended */
  reason?: "aborted" | "agreed" | "closed" | "flagged" | "left" | "played" | "resigned";
  /** games that ended at this time or later: ms since 1970, or a day */
  since?: number | string;
  /** games that ended before: ms since 1970, or a day (UTC) */
  until?: number | string;
  min_plies?: number;
  max_plies?: number;
  /** by feed number, the oldest or the newest first */
  order?: "asc" | "desc";
  /** the cursor of the last line that you have */
  after?: string;
  /** the most lines; default: 100 in JSON, all in NDJSON */
  limit?: number;
  /** instead of the header `Accept` */
  format?: "json" | "ndjson";
  /** id or name of a player */
  player?: string;
}

/** The parameters of lists: which games, in which order and form. */
export interface Search {
  /** the id of the game */
  game?: string;
  /** the size of the board */
  size?: number;
  /** whether a bot played */
  bot?: boolean;
  /** how fast: without clocks, in one sitting, or over days */
  category?: "correspondence" | "live" | "none";
  rated?: boolean;
  /** rated games before which both players had at least this rating */
  min_rating?: number;
  /** rated games before which both players had at most this rating */
  max_rating?: number;
  /** the seat that won, `draw` or `none`; of a player also `won` and `lost` */
  result?: "0" | "1" | "draw" | "lost" | "none" | "won";
  /** how the game ended */
  reason?: "aborted" | "agreed" | "closed" | "flagged" | "left" | "played" | "resigned";
  /** games that ended at this time or later: ms since 1970, or a day */
  since?: number | string;
  /** games that ended before: ms since 1970, or a day (UTC) */
  until?: number | string;
  min_plies?: number;
  max_plies?: number;
  /** by feed number, the oldest or the newest first */
  order?: "asc" | "desc";
  /** the cursor of the last line that you have */
  after?: string;
  /** the most lines; default: 100 in JSON, all in NDJSON */
  limit?: number;
  /** instead of the header `Accept` */
  format?: "json" | "ndjson";
}

/** The parameters that say which games count. */
export interface Counting {
  /** the size of the board; default: the game's default */
  size?: number;
  /** the first month (UTC) */
  since?: string;
  /** the last month (UTC), inclusive */
  until?: string;
  /** whether a bot played */
  bot?: boolean;
  /** the most actions or cuts in the answer */
  limit?: number;
}

/** The parameters for cuts, which also include the players' ratings. */
export interface Offering {
  /** the size of the board; default: the game's default */
  size?: number;
  /** the first month (UTC) */
  since?: string;
  /** the last month (UTC), inclusive */
  until?: string;
  /** whether a bot played */
  bot?: boolean;
  /** the most actions or cuts in the answer */
  limit?: number;
  /** only rated games before which both players had at least this rating, out of the latest 20,000 rated games of the game */
  rating?: number;
}

/** The parameters for a position, which is the one after `actions`. */
export interface Exploring {
  /** the size of the board; default: the game's default */
  size?: number;
  /** the first month (UTC) */
  since?: string;
  /** the last month (UTC), inclusive */
  until?: string;
  /** whether a bot played */
  bot?: boolean;
  /** the most actions or cuts in the answer */
  limit?: number;
  /** at most 29 actions from the opening on, separated by spaces; empty: the opening itself */
  actions?: string;
  /** a game that does not count: its room, or feed number */
  without?: string;
  /** an action in the position; the answer has it as it is in `moves` */
  played?: string;
}

/** The parameters of a leaderboard. */
export interface LeaderboardQuery {
  /** `active`: a leaderboard; `all`: all players with a rated game, by id */
  players?: "active" | "all";
  /** the time of the deviations; default: now */
  at?: number | string;
  /** the `next` of a page of all */
  after?: string;
  /** the most players */
  limit?: number;
}

/** The parameters: which positions to evaluate. */
export interface Evaluating {
  /** the size of the board; default: the game's default */
  size?: number;
  /** the version of the rules; default: the newest */
  rules?: number;
  /** the line: its actions from the opening on, separated by spaces */
  actions?: string;
  /** the first position to evaluate: the one after this many actions */
  first?: number;
  /** the most positions in the answer */
  limit?: number;
}
