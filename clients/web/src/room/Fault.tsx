/** Why nothing more comes of a room, although it is not over. */

import { Refused } from "@pierule/client";
import { refusalText } from "../refusals";
import { texts } from "../texts";

export function faultText(error: Error): string {
  const { room } = texts.value;
  if (error instanceof Refused) return error.code === "unknown_room" ? room.gone : refusalText(error);
  return error.name === "Desync" ? room.desync : room.failed(error.message);
}

/** In the place of what there was to do. */
export function Fault({ error }: { error: Error }) {
  const { connection, room } = texts.value;
  return (
    <div class="controls">
      <p class="refusal" role="alert">
        {faultText(error)}
      </p>
      <div class="buttons">
        <button onClick={() => location.reload()}>{connection.reload}</button>
        <a class="button" href="#/">
          {room.toLobby}
        </a>
      </div>
    </div>
  );
}
