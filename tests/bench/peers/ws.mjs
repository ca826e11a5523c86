// Rooms on Node's `ws` by a hand loop: one prepared string, one send for each member.
import { createRequire } from "node:module";
import { WebSocketServer } from "ws";

const { version } = createRequire(import.meta.url)("ws/package.json");
const rooms = new Map();

const server = new WebSocketServer({
  host: "127.0.0.1", port: 0, backlog: 1024, perMessageDeflate: false,
});
server.on("connection", (socket, request) => {
  const name = request.url;
  if (!rooms.has(name)) rooms.set(name, new Set());
  const room = rooms.get(name);
  room.add(socket);
  socket.on("close", () => room.delete(socket));
  socket.on("message", (message) => {
    const text = Buffer.from(message);
    for (const each of room) each.send(text, { binary: false });
  });
  socket.send('{"type":"welcome"}');
});
server.on("listening", () => {
  const settings = `ws ${version}, Node ${process.version}, perMessageDeflate: false, no pings`;
  console.log(JSON.stringify({ port: server.address().port, settings }));
});
