/** What the page says about settings, accounts, records and webhooks, in Korean. */

import type { Texts } from "./en";

export const settings: Texts["settings"] = {
  language: "언어",
  theme: "화면 모드",
  themes: { auto: "시스템 설정", light: "밝게", dark: "어둡게" },
  material: "판",
  materials: { paper: "종이", wood: "나무", slate: "석판" },
  contrast: "고대비",
  turned: "판을 돌려서 보기",
  confirming: "수를 보내기 전에 확인하기",
  sound: "소리와 진동",
  name: "내 이름",
  rename: "바꾸기",
  nameHint: "1~24자",
  renamed: "이름을 바꾸었습니다.",
  close: "닫기",
};

export const account: Texts["account"] = {
  register: "이 이름 등록하기",
  registered: "이제 다른 사람은 이 이름을 쓸 수 없습니다.",
  hint: "게스트는 이 브라우저에만 있습니다. 이름을 등록하면 다른 사람이 쓸 수 없고, 그 이름으로 대국 신청을 받을 수 있으며, 복구 코드로 어느 기기에서나 로그인할 수 있습니다.",
  code: "복구 코드:",
  copy: "복사",
  codeHint: "지금 적어 두세요. 다시 보여 주지 않습니다. 이 코드를 아는 사람은 내 이름으로 둘 수 있습니다.",
  form: "등록 이름은 영문자로 시작하며 영문자, 숫자, -, _로 2~24자입니다.",
  newCode: "새 복구 코드",
  download: "내 데이터 내려받기",
  downloaded: (n: number) => `${n}줄`,
  remove: "계정 삭제",
  removeSure: "계정을 삭제할까요? 다른 사람이 이름을 쓸 수 있습니다. 게임은 이름 없이 남습니다.",
  removeVouched: "여기에서 계정을 삭제할까요? 게임은 이름 없이 남습니다.",
  vouched: "이름과 계정은 로그인에 쓰는 서비스에서 옵니다.",
  removeYes: "네, 삭제합니다",
  recover: "등록된 이름이 있습니다",
  recoverName: "등록된 이름",
  recoverCode: "복구 코드",
  recoverGo: "로그인",
  unreached: "서버에 연결할 수 없습니다. 나중에 다시 시도하세요.",
};

export const replay: Texts["replay"] = {
  title: "복기",
  drop: "기보 파일을 여기에 놓거나",
  open: "기보 파일 보기:",
  hint: "기보는 게임의 ‘기보 내려받기’나 pierule export로 얻습니다.",
  bad: "이 파일은 기보가 아닙니다.",
  broken: (why) => `이 기보는 잘못되었습니다: ${why}`,
  chain: "기록된 이벤트가 서로 이어지지 않습니다",
  digest: (ply) => `${ply}수째 뒤의 판이 다릅니다`,
  other: "다른 파일",
  of: (name) => `${name}의 기보`,
  verified: "모든 판이 기보와 일치합니다.",
  took: "걸린 시간",
  copy: "기보 복사",
  uncopied: "이 브라우저에서는 복사할 수 없습니다.",
};

export const webhook: Texts["webhook"] = {
  title: "웹훅: 내 차례일 때 알림",
  about: "느린 대국에 쓰세요. 내 차례인데 접속해 있지 않으면 서버가 이 주소를 호출합니다.",
  url: "주소",
  set: "웹훅 설정",
  remove: "웹훅 삭제",
  done: "이제 서버가 이 주소를 호출합니다.",
  removed: "서버가 더 이상 주소를 호출하지 않습니다.",
  form: "주소는 https://로 시작하고 누구나 접속할 수 있는 호스트여야 합니다.",
  secret: "호출에 서명하는 키:",
  secretHint: "지금 복사해 두세요. 다시 보여 드리지 않습니다.",
};
