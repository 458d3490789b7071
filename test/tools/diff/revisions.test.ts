import { beforeAll, describe, expect, test } from "vitest";
import { compareBounds } from "../../../tools/diff/compare-bounds.ts";
import { compareModels } from "../../../tools/diff/compare-models.ts";
import type { RevisionModel, Shape } from "../../../generator/model.ts";
import { openSpecFolder } from "../../../generator/read/spec-folder.ts";

function range(minimum?: number, maximum?: number): Shape {
  return { kind: "number", ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) };
}

function listChanges(older: RevisionModel, newer: RevisionModel): string[] {
  return compareModels(older, newer).map(
    ({ subject, detail, client, server }) => `${subject}: ${detail} (${client}, ${server})`,
  );
}

describe("differences of revisions", () => {
  const models = new Map<string, RevisionModel>();

  beforeAll(async () => {
    const spec = await openSpecFolder("spec");
    for (const id of spec.pins.keys()) models.set(id, await spec.readModel(id));
  }, 120_000);

  function changes(older: string, newer: string): string[] {
    const [before, after] = [models.get(older), models.get(newer)];
    if (!before || !after) throw new Error("no such revision");
    return listChanges(before, after);
  }

  test("a revision is equal to itself", () => {
    for (const id of models.keys()) expect(changes(id, id)).toEqual([]);
  });

  test.each<[string, string, string]>([
    ["2024-11-05", "2025-03-26", "type ServerCapabilities.completions: added as optional (additive, additive)"],
    ["2025-03-26", "2025-06-18", "method elicitation/create: request of the server added (additive, additive)"],
    ["2025-06-18", "2025-11-25", "type CancelledNotification.params.requestId: now optional (breaking, breaking)"],
    [
      "2025-06-18",
      "2025-11-25",
      "type ElicitResult.content.*: type changed from boolean | number | string to boolean | number | string | string[] (additive, risky)",
    ],
    ["2025-11-25", "2026-07-28", "method initialize: request of the client removed (breaking, neutral)"],
    ["2025-11-25", "2026-07-28", "method server/discover: request of the client added (additive, additive)"],
    ["2026-07-28", "2025-11-25", "method server/discover: request of the client removed (breaking, neutral)"],
    [
      "2025-11-25",
      "2026-07-28",
      "method prompts/get: result changed from GetPromptResult to GetPromptResult | InputRequiredResult (risky, additive)",
    ],
    [
      "2025-11-25",
      "2026-07-28",
      "method elicitation/create: result changed from ElicitResult | CreateTaskResult to ElicitResult (breaking, additive)",
    ],
    ["2024-11-05", "2025-03-26", "rule batches: must be accepted (breaking, breaking)"],
    ["2025-03-26", "2025-06-18", "rule batches: are no longer accepted (breaking, breaking)"],
    [
      "2025-03-26",
      "2025-06-18",
      "header MCP-Protocol-Version: added as required, with the revision (breaking, additive)",
    ],
    ["2025-06-18", "2025-11-25", "rule streams: clients resume streams that the server has closed (risky, additive)"],
    [
      "2025-06-18",
      "2025-11-25",
      "rule dialect: of tool schemas without $schema changed from none to https://json-schema.org/draft/2020-12/schema (risky, risky)",
    ],
    ["2025-06-18", "2025-11-25", "error urlElicitationRequired: -32042 added (additive, additive)"],
    [
      "2025-06-18",
      "2025-11-25",
      "capability elicitation: an empty object of the client means form (additive, additive)",
    ],
    ["2025-11-25", "2026-07-28", "rule lifecycle: changed from handshake to per-request (breaking, breaking)"],
    ["2025-11-25", "2026-07-28", "error headerMismatch: -32020 added, HTTP status 400 (additive, additive)"],
    ["2025-11-25", "2026-07-28", "error methodNotFound: HTTP status changed from none to 404 (risky, risky)"],
    ["2025-11-25", "2026-07-28", "error resourceNotFound: -32002 is only accepted, and no longer sent (risky, risky)"],
    ["2026-07-28", "2025-11-25", "error resourceNotFound: -32002 may be sent now (additive, additive)"],
    ["2025-11-25", "2026-07-28", "error userRejected: -1 removed (risky, risky)"],
    ["2025-11-25", "2026-07-28", "header Mcp-Session-Id: removed, was optional, with the session (risky, risky)"],
    [
      "2025-11-25",
      "2026-07-28",
      "header Mcp-Name: added as required, with params.name of tools/call, prompts/get (breaking, additive)",
    ],
    [
      "2025-11-25",
      "2026-07-28",
      "key io.modelcontextprotocol/clientInfo: added as optional in _meta of requests (additive, additive)",
    ],
    ["2025-11-25", "2026-07-28", "key traceparent: added as optional in _meta of all messages (additive, additive)"],
    [
      "2025-11-25",
      "2026-07-28",
      "type CompleteResult.completion.values: number of items changed from any to at most 100 (additive, breaking)",
    ],
    [
      "2026-07-28",
      "2025-11-25",
      "type CompleteResult.completion.values: number of items changed from at most 100 to any (risky, additive)",
    ],
  ])("a change from %s to %s is found: %s", (older, newer, change) => {
    expect(changes(older, newer)).toContain(change);
  });

  /** Changes of the rules of 2025-11-25 when they are replaced in part. */
  function ruleChanges(rules: Partial<RevisionModel["rules"]>): string[] {
    const model = models.get("2025-11-25");
    if (!model) throw new Error("no such revision");
    return listChanges(model, { ...model, rules: { ...model.rules, ...rules } });
  }

  test("changes of single rules are found", () => {
    const {
      errors = [],
      headers = [],
      reservedMeta = [],
      emptyCapabilities = [],
    } = models.get("2025-11-25")?.rules ?? {};
    expect(
      ruleChanges({ errors: errors.map((error) => (error.code === -1 ? { ...error, code: -2 } : error)) }),
    ).toEqual(["error userRejected: code changed from -1 to -2 (breaking, breaking)"]);
    expect(ruleChanges({ errors: [...errors, { name: "busy", code: -3, emitted: false }] })).toEqual([
      "error busy: -3 added, never sent (additive, additive)",
    ]);
    expect(ruleChanges({ headers: headers.map((header) => ({ ...header, required: !header.required })) })).toEqual([
      "header Mcp-Session-Id: now required (breaking, additive)",
      "header MCP-Protocol-Version: now optional (additive, breaking)",
    ]);
    expect(ruleChanges({ headers: headers.map((header) => ({ ...header, methods: ["tools/call"] })) })).toEqual([
      "header Mcp-Session-Id: messages changed from all messages after the first to tools/call (breaking, breaking)",
      "header MCP-Protocol-Version: messages changed from all messages after the first to tools/call (breaking, breaking)",
    ]);
    expect(ruleChanges({ reservedMeta: reservedMeta.map((meta) => ({ ...meta, required: true })).slice(2) })).toEqual([
      "key progressToken: removed, was optional in _meta of requests (risky, risky)",
      "key io.modelcontextprotocol/related-task: removed, was optional in _meta of all messages (risky, risky)",
      "key io.modelcontextprotocol/model-immediate-response: now required (additive, breaking)",
    ]);
    expect(
      ruleChanges({ reservedMeta: reservedMeta.map((meta) => ({ ...meta, type: "number" })).slice(0, 1) }),
    ).toContain("key progressToken: type changed from ProgressToken to number (breaking, breaking)");
    expect(ruleChanges({ emptyCapabilities: [] })).toEqual([
      "capability elicitation: an empty object of the client no longer means form (risky, risky)",
    ]);
    expect(ruleChanges({ emptyCapabilities: emptyCapabilities.map((one) => ({ ...one, means: "url" })) })).toEqual([
      "capability elicitation: meaning of an empty object changed from form to url (breaking, breaking)",
    ]);
    expect(ruleChanges({ polling: false })).toEqual([
      "rule streams: clients no longer resume streams that the server has closed (risky, risky)",
    ]);
  });

  test.each<[string, Shape, Shape, string | undefined]>([
    ["equal ranges", range(0, 1), range(0, 1), undefined],
    ["a lower bound", range(), range(0), "values changed from numbers to numbers from 0 (breaking, additive)"],
    [
      "a wider range",
      range(0, 1),
      range(0, 2),
      "values changed from numbers from 0 to 1 to numbers from 0 to 2 (additive, risky)",
    ],
    [
      "a moved range",
      range(0, 1),
      range(1, 2),
      "values changed from numbers from 0 to 1 to numbers from 1 to 2 (breaking, breaking)",
    ],
    [
      "integers only",
      range(),
      { kind: "number", integer: true },
      "values changed from numbers to integers (breaking, additive)",
    ],
    [
      "an upper bound",
      range(undefined, 5),
      range(),
      "values changed from numbers up to 5 to numbers (additive, risky)",
    ],
    [
      "a longer string",
      { kind: "string", minLength: 1, maxLength: 3 },
      { kind: "string", minLength: 1, maxLength: 4 },
      "number of characters changed from 1 to 3 to 1 to 4 (additive, risky)",
    ],
    [
      "a string that may no longer be empty",
      { kind: "string" },
      { kind: "string", minLength: 1 },
      "number of characters changed from any to at least 1 (breaking, additive)",
    ],
    [
      "a string with a pattern",
      { kind: "string" },
      { kind: "string", pattern: "^a" },
      "pattern changed from any to ^a (breaking, additive)",
    ],
    [
      "a string with another pattern",
      { kind: "string", pattern: "^a" },
      { kind: "string", pattern: "^b" },
      "pattern changed from ^a to ^b (breaking, breaking)",
    ],
    ["a lower bound of 0", { kind: "string" }, { kind: "string", minLength: 0 }, undefined],
    [
      "an array that may be empty",
      { kind: "array", items: range(), minItems: 1, maxItems: 2 },
      { kind: "array", items: range(), maxItems: 2 },
      "number of items changed from 1 to 2 to at most 2 (additive, risky)",
    ],
    ["numbers and arrays", range(0, 1), { kind: "array", items: range() }, undefined],
  ])("bounds: %s", (_, older, newer, expected) => {
    const change = compareBounds(older, newer);
    expect(change && `${change.detail} (${change.impacts.writes}, ${change.impacts.reads})`).toBe(expected);
  });

  test("types that only got a name are not differences", () => {
    // Parameters were taken out of their methods, and envelopes put in.
    const wireChanges = changes("2025-06-18", "2025-11-25").filter((text) => !text.endsWith("(neutral, neutral)"));
    expect(wireChanges.filter((text) => /PingRequest|jsonrpc|InitializeRequest/.test(text))).toEqual([]);
  });
});
