import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { checkHosts, type HostedServer } from "../../../tools/check/hosts/check-hosts.ts";
import { chooseHosts, readHostProfiles } from "../../../tools/check/hosts/profiles.ts";
import { hostTable } from "./host-table.ts";

const annotations = { readOnlyHint: true, destructiveHint: false, openWorldHint: false };
const tool = { name: "rain", description: "Says if it rains.", annotations };
const fine: HostedServer = {
  name: "weather",
  transport: "http",
  revisions: ["2026-07-28", "2025-11-25"],
  instructions: "",
  capabilities: { tools: {} },
  tools: [tool],
  headers: ["Authorization"],
};
const all = readHostProfiles();

function check(hosts: string, change: Partial<HostedServer>): readonly string[] {
  const results = checkHosts(chooseHosts([hosts]), { ...fine, ...change });
  return results.flatMap(({ findings }) =>
    findings.map(({ severity, rule, subject, message }) => `${severity} ${rule}, ${subject}: ${message}`),
  );
}

test("a server over HTTP with annotations suits every host", () => {
  expect(check(Object.keys(all).join(","), {})).toEqual([]);
});

test.each<readonly [string, Partial<HostedServer>, readonly string[]]>([
  [
    "chatgpt",
    { transport: "stdio" },
    ["warning chatgpt-transports, transport stdio: ChatGPT connects over http, sse only"],
  ],
  [
    "chatgpt",
    { headers: ["X-API-Key"] },
    ["warning chatgpt-auth, header X-API-Key: ChatGPT does not send it: it supports OAuth, or no authentication"],
  ],
  [
    "chatgpt",
    { tools: [{ name: "rain", annotations: { readOnlyHint: false, openWorldHint: "no" } }] },
    [
      "error chatgpt-annotations, tool rain: the review of ChatGPT requires explicit values of destructiveHint, openWorldHint",
    ],
  ],
  [
    "chatgpt",
    { instructions: "x".repeat(513) },
    [
      "note chatgpt-instructions, instructions: ChatGPT recommends what matters in the first 512 of their 513 characters",
    ],
  ],
  [
    "claude",
    { tools: [{ name: "rain" }] },
    ["error claude-annotations, tool rain: the directory of Claude requires readOnlyHint or destructiveHint"],
  ],
  [
    "claude",
    { transport: "sse" },
    ["note claude-transports, transport sse: Claude may end its support of this transport"],
  ],
  [
    "claude",
    { capabilities: { resources: { subscribe: true } } },
    ["note claude-features, capability resources.subscribe: Claude does not use it"],
  ],
  ["claude", { capabilities: { resources: { subscribe: false } } }, []],
  [
    "claude-code",
    { tools: [{ name: "a".repeat(115), description: "b".repeat(2_049) }], instructions: "c".repeat(2_049) },
    [
      expect.stringContaining("warning claude-code-tool-name"),
      expect.stringContaining("reads 2048 characters of its description, which has 2049"),
      expect.stringContaining("reads 2048 of their 2049 characters"),
    ],
  ],
  ["claude-code", { name: "$$".repeat(60) }, [expect.stringContaining("its name has 131 characters, more than 128")]],
  [
    "chatgpt",
    { capabilities: { extensions: { "io.modelcontextprotocol/events": {} } }, revisions: ["2025-11-25"] },
    [
      "warning chatgpt-capability, capability extensions.io.modelcontextprotocol/events: ChatGPT uses it at 2026-07-28 only",
    ],
  ],
  ["chatgpt", { capabilities: { events: {} } }, []],
  [
    "claude-code",
    { tools: [{ name: "rain" }] },
    [
      "warning claude-code-tool-search, tool rain: Claude Code shows tools after a search only, which finds it by its name alone: it has no description",
    ],
  ],
  [
    "claude-code",
    { capabilities: { experimental: { "claude/channel": {} } } },
    ["warning claude-code-capability, capability experimental.claude/channel: Claude Code uses it over stdio only"],
  ],
  ["claude-code", { capabilities: { experimental: { "claude/channel": {} } }, transport: "stdio" }, []],
  [
    "vscode",
    { tools: Array.from({ length: 129 }, () => tool) },
    ["warning vscode-tools, tools: VS Code supports 128 tools of all servers together; this server has 129"],
  ],
  ["goose", { transport: "sse" }, ["warning goose-transports, transport sse: goose connects over stdio, http only"]],
  [
    "cursor",
    { transport: "tcp" },
    ["warning cursor-transports, transport tcp: Cursor connects over stdio, http, sse only"],
  ],
])("%s: %j", (hosts, change, findings) => {
  expect(check(hosts, change)).toEqual(findings);
});

test("several hosts are named with commas or repeated, and unknown names are rejected", () => {
  expect([...chooseHosts(["vscode, goose", "claude"]).keys()]).toEqual(["claude", "vscode", "goose"]);
  expect(() => chooseHosts(["vscode,emacs"])).toThrow('--host: unknown host "emacs"; choose among chatgpt, claude,');
});

describe("the data about hosts", () => {
  const texts = { type: "array", items: { type: "string" }, minItems: 1 } as const;
  const transports = { type: "array", items: { enum: ["stdio", "http", "sse"] }, minItems: 1 } as const;
  const number = { type: "integer", minimum: 1 } as const;
  const facts: Readonly<Record<string, object>> = {
    transports: { supported: transports, deprecated: transports },
    auth: { supported: texts },
    annotations: { required: texts, oneOf: texts },
    "tool-name": { prefix: { type: "string" }, max: number },
    "tool-description": { max: number },
    instructions: { max: number, preferred: number },
    tools: { max: number },
    capability: { paths: { type: "array", items: texts, minItems: 1 }, transports, revisions: texts, delivery: texts },
    "tool-search": { by: texts },
    features: { supported: texts, unsupported: texts },
  };

  test.each(Object.entries(all).flatMap(([id, { facts: own }]) => own.map((fact) => [id, fact] as const)))(
    "%s: every fact has a source and the day on which it was read: %j",
    (_id, fact) => {
      const origin = {
        kind: { const: fact.kind },
        source: { type: "string", pattern: "^https://" },
        read: { type: "string", pattern: "^20\\d\\d-\\d\\d-\\d\\d$" },
      };
      const required = ["kind", "source", "read"];
      const properties = { ...origin, ...facts[fact.kind] };
      const schema = { type: "object", properties, required, additionalProperties: false, minProperties: 4 };
      expect(new Ajv2020().validate(schema, fact)).toBe(true);
    },
  );

  test("the guide shows all of it", () => {
    const guide = readFileSync(new URL("../../../docs/hosts.md", import.meta.url), "utf8");
    const rows = (text: string): string[] =>
      text
        .split("\n")
        .flatMap((line) =>
          line.startsWith("|") && !/^\|[\s-]/.test(line.replace("| ", "|")) ? [line.replaceAll(/\s*\|\s*/g, "|")] : [],
        );
    expect(rows(guide)).toEqual(expect.arrayContaining(rows(hostTable(all))));
    expect(rows(guide).length).toBe(rows(hostTable(all)).length);
  });
});
