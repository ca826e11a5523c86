/** CRC-32 of ISO 3309, as in zip and PNG: digests and chains are made of it (SPEC 3.4, 5.4). */

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

const encoder = new TextEncoder();

/** The CRC of the text's UTF-8 bytes, continued from `before`. */
export function crc32(text: string, before = 0): number {
  let crc = ~before;
  for (const byte of encoder.encode(text)) crc = TABLE[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
  return ~crc >>> 0;
}
