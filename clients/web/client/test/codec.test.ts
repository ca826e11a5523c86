import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { reconnectDelay, retryDelay } from "../src/backoff.js";
import { FINAL, PASSING } from "../src/codes.js";
import { json, msgpack, type Codec } from "../src/index.js";
import { known, load } from "./vectors.js";

const vectors = load("codec");

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex")).buffer;
const frames = (item: { json?: string; msgpack?: string }): [Codec, unknown][] => [
  ...(item.json === undefined ? [] : ([[json, item.json]] as [Codec, unknown][])),
  ...(item.msgpack === undefined ? [] : ([[msgpack, bytes(item.msgpack)]] as [Codec, unknown][])),
];
const from = (who: string) => (item: { from: string }) => item.from === who;

test.each<any>([...vectors.messages, ...vectors.accepted].filter(from("server")))(
  "the server's $name is read",
  (item) => {
    for (const [codec, frame] of frames(item))
      expect(known(codec.decode(frame), item.message)).toEqual(item.message);
  },
);

test.each<any>(vectors.messages.filter(from("client")))("our $name is written", ({ message }) => {
  expect(JSON.parse(json.encode(message) as string)).toEqual(message);
  const sent = msgpack.encode(message) as Uint8Array;
  expect(sent[0]! & 0xf0).toBe(0x80); // a map, and in it no float, no bin and no ext
  expect([...frames({ msgpack: Buffer.from(sent).toString("hex") })]).toHaveLength(1);
});

/** A server's `ok` with one field more, which a client would ignore. */
const withField = (value: number[]) =>
  Uint8Array.from([0x83, ...pack("type"), ...pack("ok"), ...pack("id"), 1, ...pack("new"), ...value]).buffer;
const pack = (text: string) => [0xa0 + text.length, ...Buffer.from(text)];

test("bin and ext are refused, even empty ones and in unknown fields", () => {
  expect(msgpack.decode(withField([0xa0]))).toMatchObject({ type: "ok", id: 1, new: "" });
  const [bins, exts] = [
    [
      [0xc4, 0],
      [0xc4, 1, 7],
      [0xc5, 0, 0],
      [0xc6, 0, 0, 0, 0],
    ],
    [
      [0xc7, 0, 5],
      [0xd4, 5, 7],
      [0xd6, 0xff, 0, 0, 0, 1],
    ], // the last one is a time stamp
  ];
  for (const value of [...bins, ...exts]) expect(() => msgpack.decode(withField(value))).toThrow();
  expect(msgpack.decode(withField([0xa0]))).toMatchObject({ id: 1 }); // and goes on
});

test.each<any>(vectors.refused.filter(({ name }: any) => /binary|extension|time-stamp/.test(name)))(
  "the refused $name is not read",
  ({ msgpack: frame }) => expect(() => msgpack.decode(bytes(frame))).toThrow(),
);

test.each<any>(vectors.ignored)("$name is skipped", (item) => {
  for (const [codec, frame] of frames(item)) expect(codec.decode(frame)).toBeNull();
});

/** The first and the yes-or-no cell of each row of a table of SPEC, 7. */
function table(yes: number): Map<string, boolean> {
  const spec = readFileSync(new URL("../../../../protocol/SPEC.md", import.meta.url), "utf-8");
  const rows = spec
    .split("\n## 7. Codes")[1]!
    .split("\n## 8.")[0]!
    .matchAll(/^\| `?(\w+)`? \|(.*)\|$/gm);
  const cells = [...rows].map(
    ([, code, rest]) => [code!, rest!.split("|").map((cell) => cell.trim())] as const,
  );
  return new Map(
    cells
      .filter(([, rest]) => ["yes", "no"].includes(rest[yes]!))
      .map(([code, rest]) => [code, rest[yes] === "yes"]),
  );
}

test("error and close codes are those of SPEC 7", () => {
  const errors = table(1);
  const closes = table(2);
  expect(errors.size).toBeGreaterThan(15);
  expect(closes.size).toBeGreaterThan(10);
  for (const [code, again] of errors) expect([code, PASSING.has(code)]).toEqual([code, again]);
  for (const [code, again] of closes) expect([code, FINAL.has(Number(code))]).toEqual([code, !again]);
});

test("reconnecting waits longer each time, up to a limit", () => {
  expect(reconnectDelay(0, 4003, 0.5)).toBeNull();
  expect([0, 1, 2, 99].map((attempt) => retryDelay(attempt, 1))).toEqual([500, 1000, 2000, 8_000]);
  expect(reconnectDelay(3, 4711, 0.25)).toBe(1000);
});
