/** Where a record file can be chosen; it may be dropped anywhere on the page, too. */

import { texts } from "../texts";
import { openRecord } from "./opened";

export function RecordDrop({ text }: { text: string }) {
  return (
    <p class="drop">
      {text}{" "}
      <label class="button">
        {texts.value.home.recordChoose}
        <input
          type="file"
          accept=".json,application/json"
          class="aloud"
          onChange={(event) => void openRecord(event.currentTarget.files?.[0])}
        />
      </label>
    </p>
  );
}
