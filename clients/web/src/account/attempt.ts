/** Requests that a button makes, and what came of them, in words. */

import { Refused, Stopped } from "@pierule/client";
import { useState } from "preact/hooks";
import { refusalText, stopText } from "../refusals";
import { texts } from "../texts";

/** Something that you try, and what came of it. */
export interface Trial {
  said: string;
  /** It did not succeed. */
  failed: boolean;
  busy: boolean;
  /** `done` is said if it succeeds. `form` says what the field must be like, if the server refuses that. */
  attempt: (what: () => Promise<void>, done?: string, form?: string) => Promise<void>;
}

export function useAttempt(): Trial {
  const [said, setSaid] = useState("");
  const [failed, setFailed] = useState(false);
  const [busy, setBusy] = useState(false);
  const attempt: Trial["attempt"] = async (what, done = "", form = "") => {
    setBusy(true);
    setSaid("");
    setFailed(false);
    try {
      await what();
      setSaid(done);
    } catch (error) {
      setFailed(true);
      if (error instanceof Refused) setSaid(form && error.code === "bad_field" ? form : refusalText(error));
      else if (error instanceof Stopped)
        setSaid(error.code === 1000 ? texts.value.account.unreached : stopText(error));
      else throw error; // a fault of the page, for the browser's console
    } finally {
      setBusy(false);
    }
  };
  return { said, failed, busy, attempt };
}
