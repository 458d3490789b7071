import { setTimeout as sleep } from "node:timers/promises";
import type { Declarations } from "mcp-server-runtime/2026-07-28";
import { forRevisions, fromJsonSchema, type Schema } from "mcp-server-runtime";
import { serveAsAsked } from "../command-line.ts";

await serveAsAsked((revisions) => {
  const { defineServer, defineTool } = forRevisions<Declarations>(revisions);
  return defineServer({
    name: "echo",
    version: "1.0.0",
    tools: [
      defineTool({
        name: "echo",
        description: "Returns its text.",
        inputSchema: describe({ text: "string" }),
        execute: ({ text }) => text,
      }),
      defineTool({
        name: "add",
        description: "Adds two numbers.",
        inputSchema: describe({ a: "number", b: "number" }),
        execute: ({ a, b }) => String(a + b),
      }),
      defineTool({
        name: "slow",
        description: "Returns after a number of milliseconds; stops when the call is cancelled.",
        inputSchema: describe({ ms: "number" }),
        async execute({ ms }, { signal }) {
          await sleep(ms, undefined, { signal });
          return `Waited ${ms} ms.`;
        },
      }),
    ],
  });
});

interface Types {
  readonly string: string;
  readonly number: number;
}

type Arguments<Members extends { readonly [name: string]: keyof Types }> = {
  readonly [Name in keyof Members]: Types[Members[Name]];
};

/** Three tools do not need a schema library: their schemas are written and enforced by hand. */
function describe<const Members extends { readonly [name: string]: keyof Types }>(
  members: Members,
): Schema<Arguments<Members>> {
  const entries = Object.entries(members);
  const properties = Object.fromEntries(entries.map(([name, type]) => [name, { type }]));
  return fromJsonSchema<Arguments<Members>>(
    { type: "object", properties, required: Object.keys(members), additionalProperties: false },
    {
      validate(value) {
        const given: readonly [string, unknown][] = Object.entries(Object(value));
        const wrong = entries.filter(
          ([name, type]) => !given.some(([key, one]) => key === name && typeof one === type),
        );
        const unknown = given.filter(([name]) => !Object.hasOwn(members, name));
        return [
          ...wrong.map(([name, type]) => ({ message: `expected a ${type}`, path: [name] })),
          ...unknown.map(([name]) => ({ message: "unknown argument", path: [name] })),
        ];
      },
    },
  );
}
