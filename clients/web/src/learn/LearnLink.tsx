/** The link to the lessons, for people who are new. */

import { texts } from "../texts";

export function LearnLink() {
  const { learn } = texts.value;
  return (
    <p class="to-learn">
      {learn.home}{" "}
      <a class="button" href="#/learn">
        {learn.link}
      </a>
    </p>
  );
}
