/** What lessons and the screen around them say, in Korean. */

import type { Texts } from "./en";

export const learning: Pick<Texts, "learn" | "lessons"> = {
  learn: {
    title: "배우기",
    lead: "직접 두며 배우세요. 작은 판에서 하는 짧은 연습입니다. 계정이 필요 없고, 어느 연습이든 건너뛸 수 있으며, 어디까지 했는지 기억합니다.",
    home: "처음인가요? 5분이면 직접 두며 게임을 배웁니다.",
    link: "게임 배우기",
    byDoing: "두며 배우기",
    progress: (done, of) => `${of}개 중 ${done}개 마침`,
    start: (title) => `시작: ${title}`,
    next: (title) => `다음 연습: ${title}`,
    lesson: (at, of) => `${of}개 중 ${at}번째 연습`,
    done: "마침",
    all: "모든 연습",
    allDone: "연습을 모두 마쳤습니다. 이제 두어 보세요!",
    again: "처음부터 다시",
    sure: "이 게임에서 마친 연습을 모두 잊을까요?",
    rules: "규칙 읽기",
    play: "첫 게임 두기",
    playHint: (size) => `가장 작은 판(${size})에서 시간 제한 없이 봇과 둡니다.`,
    none: "이 게임에는 연습이 없습니다. 규칙에 그림 예가 있습니다.",
    noLesson: "그런 연습은 없습니다.",
    unread: "연습을 불러오지 못했습니다. 페이지를 새로 고치세요.",
  },
  lessons: {
    step: (at, of) => `${of}단계 중 ${at}단계`,
    aside: "이 연습에 나오는 수가 아닙니다.",
    next: "계속",
    again: "다시 하기",
    done: "이 연습을 마쳤습니다.",
    restart: "처음부터",
  },
};
