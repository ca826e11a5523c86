/** The button that opens a record file. You can also drop the file anywhere on the page. */

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
