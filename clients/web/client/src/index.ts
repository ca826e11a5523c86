export { Client } from "./client.js";
export type { ClientOptions, Status } from "./options.js";
export { reconnectDelay, retryDelay } from "./backoff.js";
export { ServerClock, timeLeft, type Clock, type Control, type Left } from "./clocks.js";
export { json, msgpack, type Codec } from "./codec.js";
export { FINAL, PASSING } from "./codes.js";
export { crc32 } from "./crc32.js";
export { Desync, Refused, Stopped } from "./errors.js";
export { advance, applyDiff, applyPosition, type Trouble } from "./fold.js";
export { Follower, type Verdict } from "./follower.js";
export type { Ask, ServerPush, OpenSocket, Socket } from "./connection.js";
export { agreesWith, listRooms, type RoomFilter } from "./listing.js";
export {
  foldLobby,
  watchLobby,
  withListed,
  type LobbyPart,
  type LobbyView,
  type LobbyWatch,
} from "./lobby.js";
export type * from "./messages.js";
export { newInvitation, newNonce } from "./nonce.js";
export { pointIndex, pointName, positionDigest, positionText } from "./position.js";
export { Room, type RoomUpdate, type Seat } from "./room.js";
export { ChatHistory, type Channel, type ChatEntry } from "./chat.js";
export { foldChallenges, requestRoom, type RoomRequest, type PendingRoom } from "./pendingRoom.js";
