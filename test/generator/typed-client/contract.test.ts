import { expect, test } from "vitest";
import { compareContracts } from "../../../generator/typed-client/contract/compare-contracts.ts";
import type { Contract } from "../../../generator/typed-client/contract/contract.ts";
import { isAtLeast, worstOf, type Impact } from "../../../generator/typed-client/contract/impact.ts";
import { readContract } from "../../../generator/typed-client/contract/read-contract.ts";

/* What a server offers, as its lists say, and how it changes. */

const empty: Contract = {
  server: { name: "", version: "" },
  revision: "",
  tools: [],
  prompts: [],
  resources: [],
  resourceTemplates: [],
};
const tool = { name: "t", inputSchema: { type: "object" } };
const read = (value: unknown): Contract => readContract(value, "list.json");

test.each<[what: string, value: unknown, contract: object]>([
  ["a list of tools", [tool], { tools: [tool] }],
  ["an empty list", [], {}],
  ["a result", { tools: [tool] }, { tools: [tool] }],
  ["a response", { jsonrpc: "2.0", id: 1, result: { tools: [tool] } }, { tools: [tool] }],
  ["tools beside a result that has none", { tools: [tool], result: {} }, { tools: [tool] }],
  ["a lock file", { format: 1, contract: { tools: [tool] }, tools: [] }, { tools: [tool] }],
  ["a contract without tools", { contract: { prompts: [{ name: "p" }] } }, { prompts: [{ name: "p", arguments: [] }] }],
  ["a server", { tools: [], server: { name: "s", version: "1" } }, { server: { name: "s", version: "1" } }],
  [
    "a server as `initialize` returns it",
    { tools: [], serverInfo: { name: "s", version: 1 } },
    { server: { name: "s", version: "" } },
  ],
  [
    "both kinds of servers",
    { tools: [], server: { name: 1, version: "2" }, serverInfo: { name: "s" } },
    { server: { name: "", version: "2" } },
  ],
  ["a server that is no object", { tools: [], server: "s", serverInfo: [] }, {}],
  ["a revision", { tools: [], revision: "2025-06-18" }, { revision: "2025-06-18" }],
  ["a revision that is no text", { tools: [], revision: 1 }, {}],
  [
    "declared capabilities",
    { tools: [], capabilities: { tools: { listChanged: true, x: false, a: {} }, logging: {}, completions: true } },
    { capabilities: ["completions", "logging", "tools", "tools.a", "tools.listChanged"] },
  ],
  ["listed capabilities", { tools: [], capabilities: ["tools", 1, "logging"] }, { capabilities: ["tools", "logging"] }],
  ["capabilities of another kind", { tools: [], capabilities: "tools" }, { capabilities: [] }],
  ["a tool without a schema", [{ name: "t" }], { tools: [tool] }],
  [
    "a tool with everything",
    [{ name: "t", title: "T", description: "d", inputSchema: 1, outputSchema: {}, annotations: { a: 1 }, other: 2 }],
    {
      tools: [{ name: "t", title: "T", description: "d", inputSchema: 1, outputSchema: {}, annotations: { a: 1 } }],
    },
  ],
  [
    "a tool whose members have other kinds",
    [{ ...tool, title: 1, description: null, outputSchema: null, annotations: [] }],
    { tools: [tool] },
  ],
  [
    "prompts",
    {
      tools: [],
      prompts: [
        { name: "p", title: "P", description: "d", arguments: [{ name: "a", description: "e", required: true }] },
        { name: "q", arguments: [{ name: "b", required: "yes", description: 1 }, { name: "c" }, 1, {}, { name: "" }] },
        { name: "r", arguments: "none" },
        { name: "s", arguments: [{ name: "a" }, { name: "__proto__" }, { name: "a", required: true }] },
      ],
    },
    {
      prompts: [
        { name: "p", title: "P", description: "d", arguments: [{ name: "a", description: "e", required: true }] },
        {
          name: "q",
          arguments: [
            { name: "b", required: false },
            { name: "c", required: false },
          ],
        },
        { name: "r", arguments: [] },
        { name: "s", arguments: [{ name: "a", required: true }] },
      ],
    },
  ],
  [
    "resources",
    { tools: [], resources: [{ uri: "a:b", name: "n", title: "T", description: "d", mimeType: "m" }, { uri: "a:c" }] },
    {
      resources: [
        { uri: "a:b", name: "n", title: "T", description: "d", mimeType: "m" },
        { uri: "a:c", name: "a:c" },
      ],
    },
  ],
  [
    "resource templates",
    { tools: [], resourceTemplates: [{ uriTemplate: "a:{b}", name: "n", mimeType: "m" }, { uriTemplate: "a:{c}" }] },
    {
      resourceTemplates: [
        { uriTemplate: "a:{b}", name: "n", mimeType: "m" },
        { uriTemplate: "a:{c}", name: "a:{c}" },
      ],
    },
  ],
  [
    "a name of 2,048 characters",
    [{ ...tool, name: "x".repeat(2_048) }],
    { tools: [{ ...tool, name: "x".repeat(2_048) }] },
  ],
])("`readContract` reads %s", (_what, value, contract) => {
  expect(read(value)).toEqual({ ...empty, ...contract });
});

const noList =
  "list.json is not a list of tools; pass a result of tools/list, an array of tools, or the lock file of a client.";
const noName = (place: string): string => `list.json: ${place} has no usable name or address; correct or remove it.`;

test.each<[what: string, value: unknown, message: string]>([
  ["a text", "tools", noList],
  ["null", null, noList],
  ["an object without tools", { prompts: [] }, noList],
  ["tools that are no list", { tools: {} }, noList],
  ["a response whose tools are no list", { result: { tools: {} } }, noList],
  ["tools of a contract that are no list", { contract: { tools: {} } }, 'list.json: "tools" is not a list.'],
  ["prompts that are no list", { tools: [], prompts: {} }, 'list.json: "prompts" is not a list.'],
  ["a tool that is a text", [tool, "t"], noName("tools[1]")],
  ["a tool with an empty name", [{ name: "" }], noName("tools[0]")],
  ["a tool with a long name", [{ name: "x".repeat(2_049) }], noName("tools[0]")],
  ["a prompt without a name", { tools: [], prompts: [{}] }, noName("prompts[0]")],
  ["a resource without an address", { tools: [], resources: [{ name: "n" }] }, noName("resources[0]")],
  ["a resource with an empty name", { tools: [], resources: [{ uri: "a:b", name: "" }] }, noName("resources[0]")],
  ["a template without an address", { tools: [], resourceTemplates: [{ name: "n" }] }, noName("resourceTemplates[0]")],
  [
    "a template whose name is a number",
    { tools: [], resourceTemplates: [{ uriTemplate: "a:{b}", name: 1 }] },
    noName("resourceTemplates[0]"),
  ],
  [
    "more than two million values",
    { tools: [], other: Array.from({ length: 2_000_001 }, () => 0) },
    "list.json cannot be used: it has more than 2000000 values.",
  ],
])("`readContract` rejects %s", (_what, value, message) => {
  expect(() => read(value)).toThrow(expect.objectContaining({ name: "UserError", message }));
});

test.each([
  ["objects", (value: unknown): unknown => ({ a: value })],
  ["lists", (value: unknown): unknown => [value]],
])("`readContract` reads 512 levels, and cuts only tools that have more: %s", (_what, wrap) => {
  const nest = (levels: number, inner: unknown): unknown =>
    Array.from({ length: levels }).reduce((value) => wrap(value), inner);
  const schemaOf = (inputSchema: unknown): unknown => read([{ name: "t", inputSchema }]).tools[0]?.inputSchema;
  const message = "list.json cannot be used: it is nested deeper than 512 levels.";
  expect(() => read({ tools: [], other: nest(512, 1) })).toThrow(message);
  expect(read({ tools: [], other: nest(511, 1) })).toEqual(empty);
  expect(schemaOf(nest(509, null))).toEqual(nest(509, null));
  expect(schemaOf(nest(510, 1))).toEqual(nest(509, {}));
});

/** Lists the changes: impact on clients, kind, subject, and detail. */
function changesOf(older: object, newer: object): string[] {
  return compareContracts({ ...empty, ...older }, { ...empty, ...newer }).map(
    ({ client, server, kind, subject, detail }) => {
      expect(server).toBe("neutral");
      return `${client} ${kind} ${subject}: ${detail}`;
    },
  );
}

const hints = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
const prompt = { name: "p", arguments: [] };
const resource = { uri: "a:b", name: "n" };
const template = { uriTemplate: "a:{b}", name: "n" };

test.each<[what: string, older: object, newer: object, changes: string[]]>([
  ["nothing", {}, {}, []],
  [
    "a newer revision",
    { revision: "2025-06-18" },
    { revision: "2025-11-25" },
    ["additive changed server: revision changed from 2025-06-18 to 2025-11-25"],
  ],
  [
    "an older revision",
    { revision: "2025-11-25" },
    { revision: "2025-06-18" },
    ["risky changed server: revision changed from 2025-11-25 to 2025-06-18"],
  ],
  ["the same revision", { revision: "2025-11-25" }, { revision: "2025-11-25" }, []],
  ["no revision any more", { revision: "2025-11-25" }, {}, []],
  ["a revision that was unknown", {}, { revision: "2025-11-25" }, []],
  [
    "capabilities",
    { capabilities: ["logging", "tools"] },
    { capabilities: ["tools", "tools.listChanged"] },
    ["risky removed capability logging: removed", "additive added capability tools.listChanged: added"],
  ],
  ["no capabilities any more", { capabilities: ["logging"] }, {}, []],
  ["capabilities that were unknown", {}, { capabilities: ["logging"] }, []],
  [
    "other entries",
    { tools: [tool], prompts: [prompt], resources: [resource], resourceTemplates: [template] },
    {
      tools: [{ ...tool, name: "u" }],
      prompts: [{ ...prompt, name: "q" }],
      resources: [{ ...resource, uri: "a:c" }],
      resourceTemplates: [{ ...template, uriTemplate: "a:{c}" }],
    },
    [
      "breaking removed tool t: removed",
      "additive added tool u: added",
      "breaking removed prompt p: removed",
      "additive added prompt q: added",
      "breaking removed resource template a:{b}: removed",
      "additive added resource template a:{c}: added",
      "risky removed resource a:b: removed",
      "additive added resource a:c: added",
    ],
  ],
  [
    "texts of a tool",
    { tools: [{ ...tool, title: "T" }] },
    { tools: [{ ...tool, description: "d" }] },
    ["neutral changed tool t: title changed", "risky changed tool t: description changed"],
  ],
  [
    "a schema of a tool",
    { tools: [tool] },
    { tools: [{ ...tool, inputSchema: { type: "object", required: ["a"] } }] },
    ["breaking added tool t, arguments a: added as required"],
  ],
  ["hints that are the defaults", { tools: [tool] }, { tools: [{ ...tool, annotations: hints }] }, []],
  ["no hints any more", { tools: [{ ...tool, annotations: hints }] }, { tools: [tool] }, []],
  [
    "all hints",
    { tools: [{ ...tool, annotations: hints }] },
    {
      tools: [
        {
          ...tool,
          annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
        },
      ],
    },
    [
      "risky changed tool t: annotation readOnlyHint changed from false to true",
      "risky changed tool t: annotation destructiveHint changed from true to false",
      "risky changed tool t: annotation idempotentHint changed from false to true",
      "risky changed tool t: annotation openWorldHint changed from true to false",
    ],
  ],
  [
    "texts of a prompt",
    { prompts: [{ ...prompt, title: "P", description: "d" }] },
    { prompts: [prompt] },
    ["neutral changed prompt p: title changed", "neutral changed prompt p: description changed"],
  ],
  [
    "arguments of a prompt",
    {
      prompts: [
        {
          ...prompt,
          arguments: [
            { name: "gone", required: false },
            { name: "loose", required: true },
            { name: "tight", required: false },
            { name: "same", required: true, description: "d" },
          ],
        },
      ],
    },
    {
      prompts: [
        {
          ...prompt,
          arguments: [
            { name: "loose", required: false },
            { name: "tight", required: true },
            { name: "same", required: true },
            { name: "more", required: false },
            { name: "must", required: true },
          ],
        },
      ],
    },
    [
      "breaking removed prompt p, argument gone: removed",
      "additive changed prompt p, argument loose: now optional",
      "breaking changed prompt p, argument tight: now required",
      "additive added prompt p, argument more: added",
      "breaking added prompt p, argument must: added as required",
    ],
  ],
  [
    "a resource",
    { resources: [resource] },
    { resources: [{ uri: "a:b", name: "m", title: "T", description: "d", mimeType: "text/plain" }] },
    [
      "neutral changed resource a:b: name changed",
      "neutral changed resource a:b: title changed",
      "neutral changed resource a:b: description changed",
      "risky changed resource a:b: MIME type changed",
    ],
  ],
  [
    "a resource template",
    { resourceTemplates: [template] },
    { resourceTemplates: [{ ...template, mimeType: "text/plain" }] },
    ["risky changed resource template a:{b}: MIME type changed"],
  ],
])("a comparison of contracts lists the changes: %s", (_what, older, newer, changes) => {
  expect(changesOf(older, newer)).toEqual(changes);
});

test("the worst of several impacts is the first one in the order of their severity", () => {
  const all: readonly Impact[] = ["breaking", "risky", "additive", "neutral"];
  expect(worstOf([])).toBe("neutral");
  for (const [place, impact] of all.entries()) {
    expect(worstOf(all.slice(place).toReversed())).toBe(impact);
    expect(all.map((limit) => isAtLeast(impact, limit))).toEqual(all.map((_limit, at) => at >= place));
  }
});
