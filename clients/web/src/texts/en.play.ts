/** What the page says about house bots, the end of a game, notifications and keys, in English. */

export const bots = {
  title: "Play a bot",
  levels: { random: "Beginner", "one-step": "Club", search: "Strong" },
  other: "House bot",
  free: "free",
  busy: "busy now",
  play: (name: string) => `Play ${name}`,
  again: (name: string) => `Play ${name} again`,
  calling: (name: string, what: string) => `${name} is coming: ${what}`,
  wait: (name: string) => `${name} is playing as many games as it can. You keep waiting until it has time.`,
};

export const result = {
  won: "won",
  youWon: "You won.",
  youLost: "You lost.",
  whyWon: {
    resigned: (who: string) => `${who} resigned.`,
    flagged: (who: string) => `${who} ran out of time.`,
    left: (who: string) => `${who} left.`,
  } as Readonly<Record<string, (who: string) => string>>,
  whyLost: {
    resigned: "You resigned.",
    flagged: "You ran out of time.",
    left: "You left.",
  } as Readonly<Record<string, string>>,
  draw: "A draw.",
  resigned: (winner: string, loser: string) => `${winner} wins: ${loser} resigned`,
  flagged: (winner: string, loser: string) => `${winner} wins: ${loser} ran out of time`,
  agreed: "A draw by agreement.",
  aborted: "The game did not begin. Nobody lost.",
  closed: "This server ended the game.",
  voided: "The operators of this server took back the result.",
  left: (winner: string, loser: string) => `${winner} wins: ${loser} left`,
  leftNobody: "A player left. The game has no winner.",
  word: (text: string) => `The operators say: ${text}`,
  limit:
    "From one internet address, only so many unfinished games without a clock can go on. In this one nobody had played for the longest time.",
  other: (who: string) => `${who} wins`,
  noWinner: "The game is over. It has no winner.",
};

export const ending = {
  review: "Review",
  share: "Share",
  other: "New opponent",
};

export const calls = {
  setting: "Notify me when it is my turn",
  denied: "This browser does not allow it. Allow notifications for this page in the browser’s settings.",
  title: "Your turn",
  body: (game: string, who: string) => (who ? `${game}, against ${who}` : game),
};

export const keys = {
  title: "Keys",
  rows: [
    ["?", "show this list"],
    ["← →", "one action back or forward"],
    [", .", "the same, while you are on the board"],
    ["← ↑ → ↓", "on the board: from point to point"],
    ["Enter", "on the board: choose the point"],
    ["Esc", "undo what you have chosen"],
    ["f", "turn the board around"],
    ["↑ ↓", "in an analysis: another variation"],
  ] as readonly (readonly [keys: string, does: string])[],
};
