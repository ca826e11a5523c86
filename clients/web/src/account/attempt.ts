/** What somebody tries with their account, and what has come of it. */

import { Refused, Stopped } from "@pierule/client";
import { useState } from "preact/hooks";
import { refusalText, stopText } from "../refusals";
import { texts } from "../texts";

/** Something that is tried, and what has come of it. */
export interface Trial {
  said: string;
  busy: boolean;
  /** `form`: what the field must be like, to be said if the server does not take it. */
  attempt: (what: () => Promise<void>, done?: string, form?: string) => Promise<void>;
}

export function useAttempt(): Trial {
  const [said, setSaid] = useState("");
  const [busy, setBusy] = useState(false);
  const attempt: Trial["attempt"] = async (what, done = "", form = "") => {
    setBusy(true);
    setSaid("");
    try {
      await what();
      setSaid(done);
    } catch (error) {
      if (error instanceof Refused) setSaid(form && error.code === "bad_field" ? form : refusalText(error));
      else if (error instanceof Stopped)
        setSaid(error.code === 1000 ? texts.value.account.unreached : stopText(error));
    } finally {
      setBusy(false);
    }
  };
  return { said, busy, attempt };
}
