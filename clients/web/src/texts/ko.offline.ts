/** What the page says without a connection, in Korean. */

import type { Texts } from "./en";

export const offline: Pick<Texts, "offline"> = {
  offline: {
    offline: "오프라인입니다.",
    unreached: "서버에 연결할 수 없습니다.",
    works: "연습과 규칙, 그리고 여기서 열어 본 게임은 볼 수 있습니다. 나머지는 연결되면 저절로 이어집니다.",
    play: "두려면 연결이 필요합니다. 연결되면 바로 버튼을 쓸 수 있습니다.",
    opened: "여기서 열어 본 게임",
    noneOpened: "아직 없습니다. 끝난 게임을 열면 여기에 보관됩니다.",
  },
};
