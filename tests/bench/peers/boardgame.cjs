// Matches on boardgame.io's server: anybody active may act, the last action is the state.
const { Server, SocketIO } = require("boardgame.io/server");
const { ActivePlayers } = require("boardgame.io/core");

const game = {
  name: "bench",
  disableUndo: true,
  setup: () => ({ turn: 0, action: "" }),
  turn: { activePlayers: ActivePlayers.ALL },
  moves: {
    act: {
      move: ({ G }, action) => ({ turn: G.turn + 1, action }),
      ignoreStaleStateID: true,
    },
  },
};
const socketOpts = { perMessageDeflate: false, pingInterval: 600000, pingTimeout: 600000 };
const server = Server({ games: [game], origins: [], transport: new SocketIO({ socketOpts }) });

const version = (name) => `${name} ${require(`${name}/package.json`).version}`;
const listening = server.app.listen(0, "127.0.0.1", 1024, () => {
  const settings = `${version("boardgame.io")}, ${version("socket.io")}, Node ${process.version}, ` +
    "WebSocket only, perMessageDeflate: false, pings off, disableUndo, state in memory";
  console.log(JSON.stringify({ port: listening.address().port, settings }));
});
