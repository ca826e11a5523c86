import { expect, test, vi } from "vitest";
import { parseRoute } from "../src/route";

vi.hoisted(() => {
  vi.stubGlobal("location", { hash: "" });
  vi.stubGlobal("addEventListener", () => {});
});

const KEY = "1f-_".repeat(8);
const room = (more: object = {}) => ({
  at: "room",
  room: "kobadimu",
  invitation: null,
  ply: null,
  sit: false,
  ...more,
});

test.each([
  ["#kobadimu", room()],
  [`#kobadimu.${KEY}`, room({ invitation: KEY })],
  ["#kobadimu/12", room({ ply: 12 })],
  [`#kobadimu.${KEY}/play`, room({ invitation: KEY, sit: true })],
  ["#/rules/loose", { at: "rules", game: "loose" }],
  ["#/replay", { at: "replay" }],
  ["", { at: "home" }],
  ["#", { at: "home" }],
  ["#/", { at: "home" }],
  ["#/nowhere", { at: "home" }],
])("%s leads to its screen", (hash, route) => expect(parseRoute(hash)).toEqual(route));

test.each([".", ",", "!?", ")", "».", "%E2%80%9D", " ", "%20", "/", "…"])(
  "a sentence adds %s to a link, which leads on",
  (added) => {
    expect(parseRoute(`#kobadimu${added}`)).toEqual(room());
    expect(parseRoute(`#kobadimu.${KEY}${added}`)).toEqual(room({ invitation: KEY }));
  },
);

test.each(["#kobadimu.1f-_", "#kobadimu_0000", `#kobadimu.${KEY}.${KEY}`, "#kobadimu/12x", "#%", "#Ko"])(
  "%s is no whole link, and says so",
  (hash) => expect(parseRoute(hash)).toEqual({ at: "broken" }),
);
