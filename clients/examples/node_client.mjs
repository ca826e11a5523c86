// A Pierule client for Node, in JSON and without packages.
//
// It follows a room and plays given actions in a seat, as protocol/CONFORM.md asks:
//   pierule conform client -- node --experimental-websocket node_client.mjs   (Node 20; 22: no flag)
// Numbers in comments are sections of protocol/SPEC.md.

import { randomBytes, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

const FINAL = [1000, 1002, 1003, 1007, 1009, 4003, 4004, 4005]; // 7: codes that forbid reconnecting
const PASSING = ["unavailable", "internal", "rate"]; // 7: errors after which you may repeat the request

const told = process.env;
const urls = told.PIERULE_URL.split(" ");
const room = told.PIERULE_ROOM;
const seat = told.PIERULE_SEAT ? Number(told.PIERULE_SEAT) : null;
const actions = (told.PIERULE_ACTIONS ?? "").split(" ").filter(Boolean);
const nonce = randomBytes(12).toString("hex"); // 2.3: one intention, one nonce

let token = told.PIERULE_TOKEN || null;
const busy = {}; // 1.13: busy nodes, and when to try them again
let socket; // the connection in use; we ignore what others still send
let asked = {}; // unanswered requests by id
let state = null; // 4.1: the room; null asks for a snapshot
let proof; // 6.13: the proof that came with that place, to send back
let seated = seat === null;
let waiting = false; // 6.2: a join is under way, which will mend all trouble
let filled = false; // 6.10: we have joined to fill a hole, and no event has applied since
let distrusted = false; // 6.2: our state was wrong, and we wait for a snapshot
let mended = false; // 6.2: the snapshot came, and no event has applied since
let acting = null; // 6.3: the act that has no answer yet
let again = null; // 6.8: the act to send again on a new connection
let refusals = 0; // 7: temporary refusals in a row
let known = null; // 2.1, 6.9: the latest place in an answer; its event may come later
let outdated = null; // 6.9: our state that the server called stale
let attempt = 0;
let pingSeconds = null; // 1.4: null before the welcome
let silence; // 1.4: the timer that runs while the server is silent

const CELLS = ".bwsBWacdefghijklmnopqrtuvxyzACDEFGHIJKLMNOPQRSTUVXYZ0123456789"; // 5.3

const say = (line) => process.stdout.write(JSON.stringify(line) + "\n");
const delay = (tries) => Math.random() * Math.min(8_000, 500 * 2 ** tries); // 7: a random time, in ms

function connect() { // 1.1
  const opened = new WebSocket(urls[0], "pierule.1.json");
  let answers = false; // whether the handshake succeeded
  const ended = (code) => opened === socket && lost(code, !answers);
  socket = opened;
  asked = {};
  again = acting;
  pingSeconds = null;
  opened.onopen = () => {
    answers = true;
    ask("hello", { token, bot: told.PIERULE_BOT === "1" });
  };
  opened.onmessage = ({ data }) => opened === socket && handle(read(data));
  opened.onclose = ({ code }) => ended(code);
  opened.onerror = () => ended(1006);
  listen();
}

async function lost(code, refused = false) {
  clearTimeout(silence);
  if (FINAL.includes(code)) fail(`closed with ${code}`);
  socket = null;
  if (refused) await understand(urls[0]);
  urls.push(urls.shift()); // 7: any node will do
  setTimeout(connect, Math.max(delay(attempt++), (busy[urls[0]] ?? 0) - Date.now()));
}

async function understand(url) { // 1.13: a WebSocket does not show why it was refused; HTTP does
  try {
    const signal = AbortSignal.timeout(5_000);
    const { status, headers } = await fetch(url.replace(/^ws/, "http"), { signal });
    if ([400, 403, 404].includes(status)) fail(`HTTP ${status}`);
    busy[url] = Date.now() + 1000 * (headers.get("Retry-After") ?? 0);
  } catch {
    // no answer: treat it as any other lost connection
  }
}

function listen(asking = false) { // 1.4: after a long silence, ping; after another, give up
  clearTimeout(silence);
  silence = setTimeout(() => {
    if (asking || !pingSeconds || socket.readyState !== WebSocket.OPEN) return lost(1006);
    ask("ping", {});
    listen(true);
  }, pingSeconds ? 2000 * pingSeconds : 10_000);
}

function ask(type, fields) { // 2.1: with an id that no unanswered request has
  const id = randomInt(2 ** 32);
  asked[id] = { type, ...fields };
  socket.send(JSON.stringify({ id, ...asked[id] }));
}

function read(data) { // 2.8: an unreadable frame is the server's fault: log it and go on
  try {
    return Object(JSON.parse(data));
  } catch (error) {
    console.error(`cannot read a frame: ${error.message}`);
    return {};
  }
}

function handle(message) { // 1.2: we ignore other types, and unknown fields
  listen();
  const request = asked[message.id]; // 2.6: ignore answers that we do not wait for
  delete asked[message.id];
  if (request && message.type === "ok") answered(request, message);
  else if (request && message.type === "error") refused(request, message);
  else if (message.type === "snapshot" && message.state.room === room) snapshot(message);
  else if (message.type === "event" && message.room === room) follow(message);
  else if (message.kind === "room_gone" && message.room === room) fail("the room is gone"); // 1.5
  act();
}

function answered(request, ok) {
  refusals = 0;
  if (request.type === "hello") {
    token = ok.welcome.token; // 1.3: makes us the same user again
    pingSeconds = ok.welcome.limits.ping_seconds || 20;
    join();
  } else if (request.type === "join") {
    attempt = 0;
    seated = true;
    known = ok.place;
    outdated = null;
    if (ok.resumed) waiting = false; // 6.1: events follow; otherwise a snapshot
    if (again) ask("act", again); // 2.3: repeating it is safe, effect or not
    again = null;
  } else if (request.type === "act") {
    acting = null;
    known = ok.place;
    actions.shift();
  }
}

function refused({ type, ...fields }, error) {
  if (PASSING.includes(error.code)) {
    const on = socket; // a new connection will ask again by itself
    const wait = (error.retry_ms ?? 0) + delay(refusals++);
    const again = () => (type === "join" ? join() : ask(type, fields)); // our place may have changed
    setTimeout(() => on === socket && again(), wait);
  } else if (type === "board_mismatch") {
    // 6.14: a report may be refused, and nothing depends on it
  } else if (error.code !== "stale") {
    fail(`${type}: ${error.code}: ${error.text}`);
  } else { // 6.9: nothing was played; wait for the cause, or ask for it
    acting = null;
    known = error.place;
    if (state?.turn === fields.turn && state.epoch === fields.epoch) outdated = state;
    const [then, on] = [state, socket];
    setTimeout(() => then === state && on === socket && !waiting && join(), 5_000);
  }
}

function join() { // 6.1: from the place that we know; take the seat until we have it
  waiting = true;
  const since = state && { epoch: state.epoch, seq: state.seq, chain: state.chain, proof };
  ask("join", { room, since, ...(seated ? {} : { seat, nonce }) });
}

function snapshot({ state: fresh, proof: given }) {
  const board = text(fresh.position);
  if (crc32(board) !== fresh.digest) {
    report(fresh, "desync");
    return fail("a snapshot's digest does not fit its board", board);
  }
  mended = distrusted;
  distrusted = false;
  waiting = false;
  known = outdated = null; // 6.7: forget the rest
  proof = given;
  change(fresh);
}

function follow(event) { // 6.2: compare an event with the place that we know
  if (waiting || event.epoch < state.epoch) return;
  const same = event.seq === state.seq && event.chain === state.chain;
  if (event.epoch === state.epoch && (event.seq < state.seq || same)) return; // a duplicate
  if (event.seq > state.seq + 1 && !filled) { // a hole; if it comes again, 6.10 calls it a fork
    filled = true;
    return join();
  }
  const line = `${event.epoch} ${event.seq} ${event.record} ${event.at}`; // 3.4
  const next = event.seq === state.seq + 1 && crc32(line, state.chain) === event.chain;
  const after = next && apply(state, event);
  const sound = after && after.position.cells.length === state.position.cells.length; // 16.6
  if (sound && crc32(text(after.position)) === event.digest) { // 5.4
    mended = filled = false;
    proof = event.proof;
    return change(after);
  }
  if (after) report(event, mended ? "desync" : "mismatch");
  if (mended) return fail("the board still differs right after a fresh snapshot");
  state = null; // 6.2: our state is wrong; ask for a snapshot
  distrusted = true;
  join();
}

function report({ epoch, seq }, problem) { // 6.2: tell the server that our board differs
  ask("board_mismatch", { room, epoch, seq, problem });
}

// 4.2 and 4.3: the state after an event
export function apply(state, { diff, epoch, seq, chain, at, digest }) {
  const after = { ...state, ...diff, epoch, seq, chain, at, digest };
  const fresh = diff.actions ?? [];
  after.actions = [...state.actions.slice(0, after.ply - fresh.length), ...fresh];
  const cells = [...state.position.cells];
  for (const [index, value] of diff.position?.cells ?? []) cells[index] = value;
  after.position = { ...state.position, ...diff.position, cells };
  return after;
}

function text({ game, size, phase, to_act, black, komi, passes, score, winner, cells }) { // 5.3
  const fields = [game, size, phase, to_act, black, komi, passes, score.join("-"), winner];
  const board = cells.map((cell) => CELLS[cell]).join("");
  const rows = Array.from({ length: size }, (_, row) => board.slice(row * size, (row + 1) * size));
  return [...fields.map((field) => field ?? "-"), rows.reverse().join("/")].join(" ");
}

function change(to) { // take a state and print it
  state = to;
  const { epoch, seq, turn, status, actions } = state;
  say({ epoch, seq, turn, status, actions, text: text(state.position) });
  if (status === "over") leave();
}

function act() { // 6.3: play the next action if it is our turn and no act or join is under way
  if (!state || waiting || acting || !actions.length || state === outdated || isBehind()) return;
  if (state.status !== "running" || state.position.to_act !== seat) return;
  if (state.clock && state.clock.paused != null) return; // 19.6: nobody may act
  acting = { room, epoch: state.epoch, turn: state.turn, action: actions[0] };
  ask("act", acting);
}

function isBehind() { // whether an answer named a later place than ours
  if (!known || state.epoch > known.epoch) return false;
  return state.epoch < known.epoch || state.seq < known.seq;
}

function leave(status = 0) { // 6.2: with 1000, so everything that we sent arrives
  const end = () => process.exit(status);
  if (socket?.readyState !== WebSocket.OPEN) end();
  clearTimeout(silence);
  actions.length = 0; // nothing more is played
  socket.onclose = socket.onerror = end;
  socket.close(1000);
  setTimeout(end, 1000);
}

function fail(fault, text) { // trying again cannot help; text is our board, if it differs
  say({ fault, text });
  leave(1);
  socket.onmessage = null;
}

connect();
