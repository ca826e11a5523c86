/** What the page says without a connection, in English. */

export const offline = {
  offline: {
    offline: "You are offline.",
    unreached: "The server cannot be reached.",
    works:
      "Lessons, rules and games that you opened here before work. Everything else goes on by itself when there is a connection.",
    play: "To play, you need a connection. The buttons work as soon as there is one.",
    opened: "Games that you opened here",
    noneOpened: "No games yet. Each finished game that you open is kept here.",
  },
};
