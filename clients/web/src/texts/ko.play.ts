/** What the page says about house bots, the end of a game, notifications and keys, in Korean. */

import type { Texts } from "./en";

export const bots: Texts["bots"] = {
  title: "봇과 두기",
  levels: { random: "초보", "one-step": "중급", search: "고수" },
  other: "봇",
  free: "바로 둘 수 있음",
  busy: "지금 대국 중",
  play: (name) => `${name} 상대로 두기`,
  again: (name) => `${name} 상대로 다시 두기`,
  calling: (name, what) => `${name} 부르는 중: ${what}`,
  wait: (name) => `지금은 ${name} 자리가 없습니다. 자리가 날 때까지 기다립니다.`,
};

export const result: Texts["result"] = {
  won: "승리",
  youWon: "이겼습니다.",
  youLost: "졌습니다.",
  whyWon: {
    resigned: (who) => `${who} 님이 기권했습니다.`,
    flagged: (who) => `${who} 님의 시간이 다 되었습니다.`,
    left: (who) => `${who} 님이 자리를 비웠습니다.`,
  },
  whyLost: {
    resigned: "기권했습니다.",
    flagged: "시간이 다 되었습니다.",
    left: "자리를 비웠습니다.",
  },
  draw: "무승부입니다.",
  resigned: (winner, loser) => `${winner} 승: ${loser} 기권`,
  flagged: (winner, loser) => `${winner} 승: ${loser} 시간패`,
  agreed: "합의하여 무승부입니다.",
  aborted: "게임이 시작되지 않았습니다. 아무도 지지 않았습니다.",
  closed: "이 서버가 게임을 끝냈습니다.",
  voided: "이 서버의 운영자가 결과를 취소했습니다.",
  left: (winner, loser) => `${winner} 승: ${loser} 자리를 비움`,
  leftNobody: "한 대국자가 나갔습니다. 승자 없이 끝났습니다.",
  word: (text) => `운영자의 말: ${text}`,
  limit:
    "한 인터넷 주소에서는 끝나지 않은 시계 없는 게임을 정해진 수까지만 둘 수 있습니다. 이 게임은 가장 오랫동안 아무도 두지 않았습니다.",
  other: (who) => `${who} 승`,
  noWinner: "승자 없이 게임이 끝났습니다.",
};

export const ending: Texts["ending"] = {
  review: "복기",
  share: "공유",
  other: "다른 상대",
};

export const calls: Texts["calls"] = {
  setting: "내 차례가 되면 알림 받기",
  denied: "브라우저가 허용하지 않습니다. 브라우저 설정에서 이 페이지의 알림을 허용하세요.",
  title: "내 차례입니다",
  body: (game, who) => (who ? `${game}, 상대 ${who}` : game),
};

export const keys: Texts["keys"] = {
  title: "단축키",
  rows: [
    ["?", "이 목록 보기"],
    ["← →", "한 수 뒤로, 앞으로"],
    [", .", "판 위에서 한 수 뒤로, 앞으로"],
    ["← ↑ → ↓", "판 위에서 점 옮기기"],
    ["Enter", "판 위에서 점 고르기"],
    ["Esc", "고른 것 되돌리기"],
    ["f", "판 돌리기"],
    ["↑ ↓", "분석에서 다른 변화로"],
  ],
};
