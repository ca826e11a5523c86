// The icons that systems want as PNGs, drawn anew by each build: a circle of which a quarter is cut off,
// as in public/icon.svg, on paper. The same source gives the same bytes.

import { crc32, deflateSync } from "node:zlib";

const PAPER = [0xf5, 0xf3, 0xee];
const REST = [0x12, 0x18, 0x1f];
const CUT = [0x0d, 0x94, 0x88];
const FINE = 4; // samples of a pixel, in each direction

/** The color at a point of the drawing, which is 32 wide. */
function at(x, y) {
  const isCorner = x > 16 && y < 16;
  if (!isCorner) return Math.hypot(x - 16, y - 16) < 15 ? REST : PAPER;
  return x > 19 && y < 13 && Math.hypot(x - 16, y - 16) < 15 ? CUT : PAPER;
}

/** A square PNG; the drawing takes `part` of its width. */
export function icon(size, part) {
  const scale = 32 / (size * part);
  const place = (pixel, sample) => 16 + (pixel + (sample + 0.5) / FINE - size / 2) * scale;
  const rows = Buffer.alloc(size * (1 + size * 3));
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++) {
      const sum = [0, 0, 0];
      for (let sample = 0; sample < FINE * FINE; sample++) {
        const color = at(place(column, sample % FINE), place(row, Math.floor(sample / FINE)));
        for (let channel = 0; channel < 3; channel++) sum[channel] += color[channel];
      }
      const start = row * (1 + size * 3) + 1 + column * 3;
      for (let channel = 0; channel < 3; channel++)
        rows[start + channel] = Math.round(sum[channel] / FINE ** 2);
    }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2], 8); // 8 bits, RGB
  const signature = Buffer.from([0x89, ...Buffer.from("PNG\r\n\x1a\n", "latin1")]);
  const parts = [chunk("IHDR", header), chunk("IDAT", deflateSync(rows, { level: 9 })), chunk("IEND")];
  return Buffer.concat([signature, ...parts]);
}

function chunk(name, data = Buffer.alloc(0)) {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
