/** The button that opens a record file. You can also drop the file anywhere on the page. */

import { texts } from "../texts";
import { openRecord } from "./opened";

/** Whether all that you have is a finger, which can drop nothing. */
const byTouch = matchMedia("(hover: none) and (pointer: coarse)");

interface RecordDropProps {
  /** What comes before the button. */
  drop: string;
  /** The same for those who cannot drop anything. */
  open: string;
}

export function RecordDrop({ drop, open }: RecordDropProps) {
  return (
    <p class="drop">
      {byTouch.matches ? open : drop}{" "}
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
