// Writes client/src/messages.ts from protocol/schema: `npm run types`, or `--check` to see that it is
// what the schemas say.

import { readFileSync, writeFileSync } from "node:fs";

const SCHEMAS = new URL("../../../protocol/schema/", import.meta.url);
const TARGET = new URL("../client/src/messages.ts", import.meta.url);
const load = (name) => JSON.parse(readFileSync(new URL(`${name}.json`, SCHEMAS), "utf-8"));

function type(schema) {
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return [...new Set(schema.anyOf.map(type))].join(" | ");
  if (schema.type === "array") return array(schema);
  if (schema.additionalProperties) return `Record<string, ${type(schema.additionalProperties)}>`;
  const plain = { integer: "number", string: "string", boolean: "boolean", null: "null" };
  if (!plain[schema.type]) throw new Error(`no type for ${JSON.stringify(schema)}`);
  return plain[schema.type];
}

function array({ items, prefixItems, minItems, maxItems }) {
  if (prefixItems) return `[${prefixItems.map(type).join(", ")}]`;
  const item = type(items);
  if (minItems === maxItems && minItems) return `[${Array(minItems).fill(item).join(", ")}]`;
  return item.includes(" ") ? `(${item})[]` : `${item}[]`;
}

const comment = (text, indent = "") => (text ? `${indent}/** ${text.replaceAll("\n", " ")} */\n` : "");

function struct(name, { description, properties = {}, required = [] }) {
  const fields = Object.entries(properties).map(([field, schema]) => {
    const needed = required.includes(field) || field === "type" || (field === "kind" && schema.enum);
    return `${comment(schema.description, "  ")}  ${field}${needed ? "" : "?"}: ${type(schema)};\n`;
  });
  return `${comment(description)}export interface ${name} {\n${fields.join("")}}\n`;
}

const union = (name, schema) => `export type ${name} =\n  | ${schema.anyOf.map(type).join("\n  | ")};\n`;

function write() {
  const [client, server, record, room, game] = [
    "client-message",
    "server-message",
    "record",
    "room-record",
    "game-document",
  ].map(load);
  const all = { ...client.$defs, ...server.$defs, ...record.$defs, ...room.$defs, ...game.$defs };
  return [
    "// Written from protocol/schema by `npm run types`: do not edit.\n",
    union("ClientMessage", client),
    union("ServerMessage", server),
    union("LogRecord", record),
    ...Object.entries(all).map(([name, schema]) => struct(name, schema)),
  ].join("\n");
}

const wanted = write();
if (process.argv.includes("--check")) {
  if (readFileSync(TARGET, "utf-8") !== wanted) {
    console.error("client/src/messages.ts is not what protocol/schema says: npm run types");
    process.exit(1);
  }
} else {
  writeFileSync(TARGET, wanted);
}
