/** Everything that an application needs. Nothing else of this library can be imported. */

export { Client } from "./client.js";
export type { ChallengeOptions, CreateOptions, Line, SeekOptions, What } from "./client.js";
export type { ClientOptions, Status } from "./options.js";
export type { Environment } from "./environment.js";
export type { Ask, OpenSocket, ServerPush, Socket } from "./connection.js";
export type { Explain, Refusal } from "./refusal.js";
export { json, msgpack, type Codec } from "./codec.js";
export { Desync, Refused, Stopped } from "./errors.js";
export type * from "./messages.js";

export type { Channel, ChatEntry } from "./chat.js";
export type { Conversation, Room, RoomUpdate, Seat } from "./room.js";
export { timeLeft, type Clock, type Control, type Left } from "./clocks.js";
export { Archive, ArchiveError, type ArchiveOptions } from "./archive.js";
/** The types of the archive's answers. */
export type * as archive from "./archiveAnswers.js";
export { applyPosition } from "./fold.js";
export { pointIndex, pointName, positionDigest, positionText } from "./position.js";
export { crc32 } from "./crc32.js";

export { agreesWith, type RoomFilter } from "./listing.js";
export { withListed, type LobbyPart, type LobbyView, type LobbyWatch } from "./lobby.js";
export { foldChallenges, type PendingRoom } from "./pendingRoom.js";
