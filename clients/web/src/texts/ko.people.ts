/** What the page says of who you are and of other players, in Korean. */

import type { Texts } from "./en";

export const people: Texts["people"] = {
  signOut: "로그아웃",
  signOutSure:
    "이 기기에서 로그아웃할까요? 돌아오려면 복구 코드가 필요합니다. 그 뒤 페이지는 새 게스트로 시작합니다.",
  signOutYes: "네, 로그아웃합니다",
  newCodeSure: "새 복구 코드를 만들까요? 이전 코드는 바로 쓸 수 없게 됩니다.",
  newCodeYes: "네, 새로 만듭니다",
  leaving: (n) =>
    `진행 중인 게임이 ${n}판 있습니다. 게임은 나 없이 계속되며 상대가 승리를 요구할 수 있습니다.`,
  changed: {
    signed_out: () => "로그아웃했습니다. 이제 새 게스트입니다.",
    deleted: () => "계정을 삭제했습니다. 이제 새 게스트입니다.",
    signed_in: (name) => `이제 ${name} 님입니다.`,
  },
};
