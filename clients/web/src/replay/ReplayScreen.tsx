/** A record file, action by action. */

import { texts } from "../texts";
import { useTitle } from "../title";
import { RecordDrop } from "./RecordDrop";
import { opened } from "./opened";
import { Replay } from "./Replay";

export function ReplayScreen() {
  const { replay } = texts.value;
  const record = opened.value;
  useTitle(replay.title);
  return (
    <div class="replay">
      {(!record || record === "bad") && <h1>{replay.title}</h1>}
      {record === "bad" && (
        <p class="refusal" role="alert">
          {replay.bad}
        </p>
      )}
      {record && record !== "bad" && <Replay key={record.room} record={record} />}
      {record ? (
        <RecordDrop drop={`${replay.other}:`} open={`${replay.other}:`} />
      ) : (
        <RecordDrop drop={replay.drop} open={replay.open} />
      )}
      {!record && <p class="hint-text">{replay.hint}</p>}
      {!record && (
        <p>
          <a class="button" href="#/analysis">
            {texts.value.analysis.board}
          </a>
        </p>
      )}
    </div>
  );
}
