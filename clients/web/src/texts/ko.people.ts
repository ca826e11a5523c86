/** What the page says about you and about other players, in Korean. */

import type { Texts } from "./en";

export const people: Texts["people"] = {
  signOut: "로그아웃",
  signOutSure:
    "이 기기에서 로그아웃할까요? 돌아오려면 복구 코드가 필요합니다. 그때까지 여기서는 새 게스트입니다.",
  signOutYes: "네, 로그아웃합니다",
  newCodeSure:
    "새 복구 코드를 만들까요? 이전 코드는 바로 쓸 수 없게 되고, 다른 모든 기기에서 로그아웃됩니다.",
  newCodeYes: "네, 새로 만듭니다",
  renameSure: (to, from) =>
    `이름을 ${to}(으)로 바꿀까요? 새 복구 코드가 나오고 이전 코드는 바로 쓸 수 없게 됩니다. 지금 이름(${from})은 30일 동안 나만 다시 쓸 수 있고, 그 뒤에는 다른 사람도 쓸 수 있습니다.`,
  renameYes: "네, 바꿉니다",
  no: "아니요, 돌아갑니다",
  elsewhere: "다른 기기에서 모두 로그아웃",
  elsewhereSure: "다른 모든 기기에서 로그아웃할까요? 이 기기에서는 로그인이 유지됩니다.",
  elsewhereDone: "다른 모든 기기에서 로그아웃했습니다.",
  leaving: (n) =>
    `진행 중인 게임이 ${n}판 있습니다. 게임은 나 없이 계속되며 상대가 승리를 선언할 수 있습니다.`,
  changed: {
    signed_out: () => "로그아웃했습니다. 이제 새 게스트입니다.",
    deleted: () => "계정을 삭제했습니다. 이제 새 게스트입니다.",
    signed_in: (name) => `이제 ${name} 님입니다.`,
  },
  unblock: "차단 해제",
  blocked: "차단됨",
  isBlocked: "차단한 상대입니다. 서로 두지 않으며 상대가 쓴 글이 보이지 않습니다.",
  blocks: (n) => `숨기거나 차단한 사람 (${n})`,
  yourself: "자신에게는 대국을 신청할 수 없습니다.",
  sent: "신청했습니다. 답이 올 때까지 페이지 맨 위에 표시됩니다.",
  challenges: {
    declined: (who) => `${who} 님은 지금 두고 싶지 않다고 합니다.`,
    blocked: (who) => `${who} 님이 나와 두기를 원하지 않습니다.`,
    no_account: (who) => `${who}(이)라는 이름으로 등록된 사람이 없습니다.`,
    expired: (who) => `${who} 님에게 한 신청이 끝났습니다.`,
    limit: (who) => `${who} 님에게 온 신청이 너무 많습니다. 나중에 다시 시도하세요.`,
  },
  nameForm:
    "이름은 1~24자이며 괄호나 보이지 않는 문자가 없어야 하고, 다른 사람의 등록 이름과 비슷하면 안 됩니다.",
  wholeName: "이름 전체를 입력하세요.",
  isWaiting: "님이 기다립니다",
  casual: "친선",
  canCount: "가능하면 레이팅 반영",
};
