/** What becomes of the challenges that you answer. */

import { Refused, type Challenged } from "@pierule/client";
import { beforeEach, expect, test, vi } from "vitest";

type Ear = (news: { type: string }) => void;

const { signal, answerChallenge, ears } = await vi.hoisted(async () => ({
  ...(await import("@preact/signals")),
  answerChallenge: vi.fn<(challenge: string, accept: boolean) => Promise<string | null>>(),
  ears: [] as Ear[],
}));
vi.stubGlobal("addEventListener", () => {});
vi.mock("../src/server", () => ({
  client: {
    answerChallenge,
    hear: (ear: Ear) => ears.push(ear),
    welcomed: () => {},
    seek: () => ({ nonce: "n", room: Promise.resolve("kobadimu"), withdraw: () => Promise.resolve() }),
  },
}));
vi.mock("../src/route", () => ({
  route: signal({ at: "home" }),
  roomPath: (room: string) => `#${room}`,
  go: vi.fn(),
}));
vi.mock("../src/home/mine", () => ({ mine: signal([]), refreshMine: vi.fn(() => Promise.resolve()) }));
vi.mock("../src/texts", async () => ({ texts: signal((await import("../src/texts/en")).en) }));
vi.mock("../src/storage", () => ({ load: () => null, loadHere: () => null, saveHere: () => {} }));
vi.mock("../src/notices", () => ({ ratedFrom: signal(0) }));
vi.mock("../src/windows", () => ({ seeks: signal(null) }));
vi.mock("../src/announce", () => ({ announce: () => {} }));
vi.mock("../src/sounds", () => ({ play: () => {} }));
vi.mock("../src/blockList", () => ({ setBlock: () => Promise.resolve() }));
vi.mock("../src/refusals", () => ({ refusalText: () => "" }));

const CHALLENGE = { type: "challenged", challenge: "5f0c", name: "Ada", rated: "either" } as Challenged;

const refusing = (code: string) => {
  const answer = { type: "error" as const, id: 1, code, text: "" };
  answerChallenge.mockRejectedValueOnce(new Refused(answer as Refused["answer"]));
};

beforeEach(async () => {
  const { incoming, ready } = await import("../src/meeting/meeting");
  const { go, route } = await import("../src/route");
  vi.mocked(go).mockReset();
  answerChallenge.mockReset();
  route.value = { at: "home" };
  ready.value = null;
  incoming.value = [];
  for (const ear of ears) ear(CHALLENGE);
});

test("a challenge stays until it is answered, or does not stand any more", async () => {
  const { answer, failed, incoming } = await import("../src/meeting/meeting");
  refusing("unrated");
  await answer(CHALLENGE, true);
  expect(failed.value?.error.code).toBe("unrated");
  expect(incoming.value).toEqual([CHALLENGE]);
  answerChallenge.mockResolvedValueOnce(null);
  await answer(CHALLENGE, false);
  expect([failed.value, incoming.value]).toEqual([null, []]);
});

test("a challenge that was withdrawn disappears with your answer", async () => {
  const { answer, incoming } = await import("../src/meeting/meeting");
  refusing("unknown_challenge");
  await answer(CHALLENGE, true);
  expect(incoming.value).toEqual([]);
});

test("who left too many rated games reads that a game will not count, unless it must", async () => {
  const { ratedForYou } = await import("../src/meeting/meeting");
  const { ratedFrom } = await import("../src/notices");
  const must = { ...CHALLENGE, rated: "yes" } as const;
  expect([ratedForYou(CHALLENGE), ratedForYou(must)]).toEqual(["either", "yes"]);
  ratedFrom.value = 1_800_000_000_000;
  expect([ratedForYou(CHALLENGE), ratedForYou(must)]).toEqual(["no", "yes"]);
});

test("who accepts a challenge is taken to its game, whatever they play", async () => {
  const { answer, incoming, ready, roomShown } = await import("../src/meeting/meeting");
  const { go, route } = await import("../src/route");
  route.value = { at: "room", room: "babebibo", invitation: null, ply: null, sit: false };
  roomShown.value = { room: "babebibo", plays: true };
  answerChallenge.mockResolvedValueOnce("kobadimu");
  await answer(CHALLENGE, true);
  expect(vi.mocked(go).mock.calls).toEqual([["#kobadimu"]]);
  expect([incoming.value, ready.value]).toEqual([[], null]);
});

test("a player whose challenge is accepted stays in the game they play", async () => {
  const { ready, roomShown, wait } = await import("../src/meeting/meeting");
  const { go, route } = await import("../src/route");
  route.value = { at: "room", room: "babebibo", invitation: null, ply: null, sit: false };
  roomShown.value = { room: "babebibo", plays: true };
  wait({ type: "seek", game: "loose", size: 9 });
  await vi.waitFor(() => expect(ready.value).toBe("kobadimu"));
  expect(go).not.toHaveBeenCalled();
});

test("a game that ended without you is offered no longer", async () => {
  vi.useFakeTimers();
  const { ready } = await import("../src/meeting/meeting");
  const { mine, refreshMine } = await import("../src/home/mine");
  const { sifting } = await import("../src/room/sifting");
  const listing = (status: string) =>
    vi.mocked(refreshMine).mockImplementation(() => {
      mine.value = [{ room: "kobadimu", status }] as unknown as typeof mine.value;
      return Promise.resolve();
    });
  ready.value = "kobadimu";
  listing("running");
  const stop = sifting();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(ready.value).toBe("kobadimu");
  listing("over");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ready.value).toBeNull();
  stop();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});
