/** What the page says without a connection, in English. */

export const offline = {
  offline: {
    offline: "You are offline.",
    unreached: "The server cannot be reached.",
    works:
      "Lessons, rules and games that you have opened here still work. Everything else continues when you are online again.",
    play: "To play, you need a connection. The buttons work as soon as there is one.",
    opened: "Games that you opened here",
    noneOpened: "No games yet. Finished games that you open appear here.",
  },
};
