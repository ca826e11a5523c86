import { expect, test } from "vitest";
import { Calls } from "../src/calls";
import type { MyGame } from "../src/home/merging";

const game = (room: string, mine: boolean, status: MyGame["status"] = "running") =>
  ({ room, mine, status }) as MyGame;

function called() {
  const said: string[] = [];
  const calls = new Calls({
    mark: (games) => void said.push(`mark ${games}`),
    ring: ({ room }) => void said.push(`ring ${room}`),
    hush: (room) => void said.push(`hush ${room}`),
  });
  const heard = () => said.splice(0);
  return { calls, heard };
}

test("a user who looks elsewhere is called once when their turn comes, until they are back", () => {
  const { calls, heard } = called();
  const away = { seen: false, room: "a" };
  calls.know([game("a", false)], away);
  expect(heard()).toEqual(["mark 0"]);
  calls.know([game("a", true)], away);
  expect(heard()).toEqual(["ring a", "mark 1"]);
  calls.know([game("a", true)], away);
  expect(heard()).toEqual(["mark 1"]);
  calls.know([game("a", true)], { seen: true, room: "a" });
  expect(heard()).toEqual(["hush a", "mark 0"]);
});

test("a user who looks at the page is not called, and sees how many other games wait", () => {
  const { calls, heard } = called();
  const here = { seen: true, room: "a" };
  calls.know([game("a", false), game("b", false)], here);
  calls.know([game("a", true), game("b", true)], here);
  expect(heard()).toEqual(["mark 0", "mark 1"]);
});

test("games known when the window opened, and open games, call nobody", () => {
  const { calls, heard } = called();
  const away = { seen: false, room: null };
  calls.know([game("a", true)], away);
  calls.know([game("a", true), game("b", true, "open")], away);
  expect(heard()).toEqual(["mark 1", "mark 1"]);
});

test("a call is taken back when it is not your turn any more", () => {
  const { calls, heard } = called();
  const away = { seen: false, room: null };
  calls.know([], away);
  calls.know([game("b", true)], away);
  calls.know([game("b", true, "over")], away);
  expect(heard()).toEqual(["mark 0", "ring b", "mark 1", "hush b", "mark 0"]);
});
