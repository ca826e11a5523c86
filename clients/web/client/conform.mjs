// The library under test, by the contract of protocol/CONFORM.md (after `npm run build`):
//   pierule conform client -- node [--experimental-websocket] conform.mjs [msgpack|json]

import { Client, Refused, json, msgpack, positionText } from "./dist/index.js";

const { PIERULE_URL, PIERULE_ROOM, PIERULE_TOKEN, PIERULE_SEAT, PIERULE_ACTIONS, PIERULE_BOT } = process.env;
const actions = (PIERULE_ACTIONS ?? "").split(" ").filter(Boolean);
const say = (line) => process.stdout.write(JSON.stringify(line) + "\n");

let ended = false;

function end(status, line) {
  if (ended) return;
  ended = true;
  if (line) say(line);
  actions.length = 0; // nothing more is played
  client.close();
  setTimeout(() => process.exit(status), 500); // for the close frame
}

const client = new Client({
  urls: PIERULE_URL.split(" "),
  token: PIERULE_TOKEN || null,
  bot: PIERULE_BOT === "1",
  codec: process.argv[2] === "json" ? json : msgpack,
});
client.listen(() => {
  const { kind, error } = client.status;
  if (kind === "stopped") end(1, { fault: String(error) });
});

const room = client.join(PIERULE_ROOM, PIERULE_SEAT ? Number(PIERULE_SEAT) : null);
let acting = false;

room.listen((news) => {
  if (news.kind === "ended" && client.status.kind !== "stopped") end(1, { fault: String(news.error) });
  if (news.kind === "state") {
    const { epoch, seq, turn, status, actions: played, position } = news.state;
    say({ epoch, seq, turn, status, actions: played, text: positionText(position) });
    if (status === "over") end(0);
  }
  act();
});

function act() {
  if (acting || !actions.length || room.turnOf === null) return;
  acting = true;
  client
    .act(room, room.state.turn, actions[0])
    .then(() => actions.shift())
    .catch((error) => {
      if (!(error instanceof Refused)) return; // the client has stopped, and said so
      if (error.code !== "stale") end(1, { fault: String(error) });
    })
    .finally(() => {
      acting = false;
      act();
    });
}
