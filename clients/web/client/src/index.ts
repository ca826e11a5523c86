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
export type { Ask, News, OpenSocket, Socket } from "./line.js";
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
export { Room, type RoomNews, type Seat } from "./room.js";
export { Talk, type Channel, type Spoken } from "./talk.js";
export { foldChallenges, want, type Want, type Wanted } from "./wanted.js";
