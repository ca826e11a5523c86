import { expect, test } from "vitest";
import { botName, inOrder, levelOf } from "../src/home/bots";
import { choicesOf, sizeOf } from "../src/home/choices";
import { byUrgency, type MyGame } from "../src/home/merging";

test("the last choice is offered again, and damaged storage is tolerated", () => {
  const kept = { game: "taugo", sizes: { taugo: 8 }, clock: 2 };
  expect(choicesOf(JSON.stringify(kept))).toEqual(kept);
  const none = { game: "", sizes: {}, clock: 0 };
  for (const text of [null, "", "{", "null", "7", '{"game":7,"sizes":null,"clock":99}'])
    expect(choicesOf(text)).toEqual(none);
});

test("the smallest size is offered first, and one that there is no more is not", () => {
  const of = { game: "taugo", sizes: [8, 6, 16], default_size: 16, draws: true };
  expect(sizeOf(of, {})).toBe(6);
  expect(sizeOf(of, { taugo: 16 })).toBe(16);
  expect(sizeOf(of, { taugo: 99 })).toBe(6);
});

test("bots come from the weakest to the strongest, and those of other servers last", () => {
  const levels = ["search", "alpha", "random", "one-step"].map((bot_level) => ({ bot_level, free: 1 }));
  const names = inOrder(levels).map((each) => botName(each.bot_level));
  expect(names).toEqual(["Pip", "Mira", "Otto", "alpha"]);
  expect(levelOf("house-one-step-0123456789ab")).toBe("one-step");
  expect(levelOf("ada")).toBe(null);
});

test("games with your turn come first, and finished ones last", () => {
  const game = (room: string, fields: Partial<MyGame>) => ({ room, mine: false, ...fields }) as MyGame;
  const games = [
    game("over", { status: "over" }),
    game("open", { status: "open" }),
    game("theirs", { status: "running" }),
    game("mine", { status: "running", mine: true }),
  ];
  expect(byUrgency(games).map(({ room }) => room)).toEqual(["mine", "theirs", "open", "over"]);
});
