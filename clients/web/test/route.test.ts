import { expect, test, vi } from "vitest";
import { parseRoute } from "../src/route";

vi.hoisted(() => {
  vi.stubGlobal("location", { hash: "", pathname: "/", href: "https://a.org/" });
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
  ["#/learn", { at: "learn", game: null, lesson: null }],
  ["#/learn/loose", { at: "learn", game: "loose", lesson: null }],
  ["#/learn/loose/flip", { at: "learn", game: "loose", lesson: "flip" }],
  ["#/replay", { at: "replay" }],
  ["#/analysis", { at: "analysis", name: null, data: "" }],
  ["#/analysis/loose-9", { at: "analysis", name: "loose-9", data: "" }],
  ["#/analysis/link/a-Zz_9", { at: "analysis", name: "link", data: "a-Zz_9" }],
  ["#/games?game=loose&player=Ada%20B", { at: "games", search: { game: "loose", player: "Ada B" } }],
  ["#/player/Ada%20B%2F", { at: "player", name: "Ada B/", search: {} }],
  ["#/player/50%?result=won", { at: "player", name: "50%", search: { result: "won" } }],
  ["#/player/", { at: "broken" }],
  ["#/cuts", { at: "cuts", game: null, search: {} }],
  ["#/cuts/loose?size=5", { at: "cuts", game: "loose", search: { size: "5" } }],
  ["#/game/17", { at: "game", game: "17", ply: null }],
  ["#/game/kobadimu/12", { at: "game", game: "kobadimu", ply: 12 }],
  ["#/game/17/x", { at: "game", game: "17", ply: null }],
  ["", { at: "home" }],
  ["#", { at: "home" }],
  ["#/", { at: "home" }],
  ["#/?utm_source=x", { at: "home" }],
  ["#/nowhere", { at: "broken" }],
])("%s leads to its screen", (hash, route) => expect(parseRoute(hash)).toEqual(route));

test.each([
  ["/game/kobadimu", "", room()],
  ["/below/game/kobadimu", "#", room()],
  ["/game/kobadimu.", "", room()],
  ["/game/17", "", { at: "game", game: "17", ply: null }],
  ["/game/Ko", "", { at: "broken" }],
  ["/game/kobadimu.1f-_", "", { at: "broken" }],
  ["/player/Ada%20B", "", { at: "player", name: "Ada B", search: {} }],
  ["/player/50%", "", { at: "player", name: "50%", search: {} }],
  ["/player/Ada", "#kobadimu", room()],
  ["/game/kobadimu", "#/", { at: "home" }],
  ["/game/", "", { at: "home" }],
  ["/index.html", "", { at: "home" }],
])("the path %s with %s leads to its screen", (path, hash, route) =>
  expect(parseRoute(hash, path)).toEqual(route),
);

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
