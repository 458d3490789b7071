import { describe, expect, test } from "vitest";
import { MessageRedactor } from "../../../tools/replay/redact-message.ts";
import { createCfworkerValidator } from "../../../runtime/adapters/cfworker.ts";
import { fromJsonSchema } from "../../../runtime/server/json-schema.ts";
import { isSecretName } from "../../../runtime/server/middleware/redact.ts";

/* Redaction of results: structured content with a schema, and texts that repeat a secret. */

/** Redacts the structured content of a call, whose tool was listed before with a schema of one member. */
function redactMember(schema: object, value: unknown, more: object = {}): unknown {
  const redactor = new MessageRedactor([]);
  const outputSchema = { type: "object", properties: { token: schema }, ...more };
  redactor.redact({ id: 1, result: { tools: [{ name: "login", outputSchema }] } }, "a");
  redactor.redact({ id: 2, method: "tools/call", params: { name: "other" } }, "b");
  redactor.redact({ id: 2, method: "tools/call", params: { name: "login" } }, "a");
  return redactor.redact({ id: 2, result: { content: [], structuredContent: { token: value } } }, "a");
}

test.each<[string, object, unknown, unknown, object?]>([
  ["a choice stays", { enum: ["day", "week"] }, "week", "week"],
  ["a constant stays", { const: 7 }, 7, 7],
  ["a choice of an alternative stays", { anyOf: [{ type: "null" }, { enum: ["day"] }] }, "day", "day"],
  [
    "a choice that is referred to stays",
    { $ref: "#/$defs/span" },
    "day",
    "day",
    { $defs: { span: { enum: ["day"] } } },
  ],
  [
    "a choice that is referred to within a list stays",
    { $ref: "#/$defs/spans/anyOf/0" },
    "day",
    "day",
    { $defs: { spans: { anyOf: [{ enum: ["day"] }] } } },
  ],
  [
    "a choice that is referred to by an encoded key stays",
    { $ref: "#/$defs/time%20span" },
    "day",
    "day",
    { $defs: { "time span": { enum: ["day"] } } },
  ],
  ["an item of a list that is a choice stays", { type: "array", items: { enum: ["day"] } }, ["day"], ["day"]],
  ["a text without restrictions is hidden as usual", { type: "string" }, "abcdefgh", "[redacted 1]"],
  ["a number without restrictions is hidden as usual", { type: "number" }, 42, 0],
  ["a number above its minimum", { type: "integer", minimum: 10, maximum: 99 }, 42, 10],
  ["a number above an exclusive minimum", { type: "integer", exclusiveMinimum: 10 }, 42, 11],
  ["a number below a maximum", { type: "number", exclusiveMaximum: -1 }, -42, -2],
  ["a number that is a multiple", { type: "integer", minimum: 5, multipleOf: 4 }, 44, 8],
  ["a text of a pattern", { type: "string", pattern: "^[a-z]{4}-\\d{4}$" }, "kqzw-8391", "xxxx-0000"],
  ["a text of hexadecimal digits", { type: "string", pattern: "^[0-9a-f]{8}$" }, "deadbe37", "aaaaaa11"],
  ["a text with a prefix", { type: "string", pattern: "^sk_live_[a-z0-9]{6}$" }, "sk_live_kq83zw", "sk_live_aa00aa"],
  ["a text of a length", { type: "string", minLength: 20, maxLength: 20 }, "k".repeat(20), "[redacted 1]xxxxxxxx"],
  ["a text of a format", { type: "string", format: "email" }, "ada@example.org", "redacted@example.com"],
  ["a UUID", { format: "uuid" }, "550e8400-e29b-41d4-a716-446655440000", "00000000-0000-4000-8000-000000000000"],
  ["a text for which nothing fits", { type: "string", pattern: "^qqqqqq!" }, "qqqqqq!7", "[redacted 1]"],
  ["a pattern that may take long", { type: "string", pattern: "^(a+)+$" }, "a".repeat(40), "[redacted 1]"],
])("a secret in structured content with a schema: %s", async (_, schema, value, expected, more = {}) => {
  expect(redactMember(schema, value, more)).toMatchObject({ result: { structuredContent: { token: expected } } });
  if (expected === "[redacted 1]" && "pattern" in schema) return;
  const checked = fromJsonSchema(
    { type: "object", properties: { token: schema }, ...more },
    { validate: createCfworkerValidator() },
  );
  expect(await checked["~standard"].validate({ token: expected })).not.toHaveProperty("issues");
});

describe("a secret that a server repeats", () => {
  const login = { structuredContent: { password: "tr0ub4dor&3" } };

  test.each<[string, object, object]>([
    [
      "a later content block",
      { content: [{ type: "text", text: "Use tr0ub4dor&3 now" }] },
      { content: [{ type: "text", text: "Use [redacted] now" }] },
    ],
    [
      "a text that is the secret",
      { content: [{ type: "text", text: "tr0ub4dor&3" }] },
      { content: [{ type: "text", text: "[redacted 1]" }] },
    ],
    [
      "a member with another name",
      { structuredContent: { a: "tr0ub4dor&3" } },
      { structuredContent: { a: "[redacted 1]" } },
    ],
    ["a URI", { contents: [{ uri: "file:///tr0ub4dor&3/a" }] }, { contents: [{ uri: "file:///[redacted]/a" }] }],
    [
      "the description of a schema",
      { tools: [{ name: "a", inputSchema: { description: "As tr0ub4dor&3" } }] },
      { tools: [{ name: "a", inputSchema: { description: "As [redacted]" } }] },
    ],
  ])("a secret of an earlier message is hidden in %s", (_, given, expected) => {
    const redactor = new MessageRedactor([]);
    redactor.redact({ id: 1, result: login });
    expect(redactor.redact({ id: 2, result: given })).toEqual({ id: 2, result: expected });
  });

  test.each<[string, object]>([
    ["structured content", login],
    ["a text with JSON", { more: [{ text: '{"password":"tr0ub4dor&3"}' }] }],
    ["the query of a URL", { more: [{ text: "https://example.com/?token=tr0ub4dor%263 tr0ub4dor&3" }] }],
  ])("a secret in %s is hidden in a text before it", (_, hidden) => {
    const value = { content: [{ type: "text", text: "It is tr0ub4dor&3 or tr0ub4dor%263" }], ...hidden };
    const shown = JSON.stringify(new MessageRedactor([]).redact({ id: 1, result: value }));
    expect(shown).toContain("[redacted]");
    if (!("more" in hidden) || !JSON.stringify(hidden).includes("%26")) expect(shown).not.toContain("tr0ub4dor&3");
    else expect(shown).not.toContain("tr0ub4dor%263");
  });

  test("a secret that is a word stays within words, names of the protocol and short texts stay", () => {
    const redactor = new MessageRedactor([]);
    redactor.redact({ id: 1, result: { structuredContent: { session: "location", pin: "name", token: "assistant" } } });
    const result = {
      role: "assistant",
      content: [{ type: "text", text: "get_location, locations, name" }],
      tools: [{ name: "location" }],
    };
    expect(redactor.redact({ id: 2, result })).toEqual({ id: 2, result });
  });

  test("many secrets with the same beginning are searched in a long text in time that grows with its length", () => {
    const redactor = new MessageRedactor([]);
    const tokens = Array.from({ length: 20_000 }, (_, index) => `beginning-${index}`);
    redactor.redactValue({ structuredContent: { token: tokens } });
    const text = "beginning ".repeat(100_000);
    expect(redactor.redactValue({ content: [{ type: "text", text }] })).toEqual({ content: [{ type: "text", text }] });
  });
});

test.each(
  (
    "pwd pass passcode jwt bearer dsn connectionString database_url webhook_url pat mfa totp cvc cardNumber iban sshKey encryptionKey signingKey " +
    "masterKey seed mnemonic accountKey csrf pinCode db_pass API_PAT password token key code"
  ).split(" "),
)("the name %s is one of a secret", (name) => {
  expect(isSecretName(name)).toBe(true);
});

test.each("path passed compass seeds recordsNumber caliban author keyboard barcode patient mfaEnabled url".split(" "))(
  "the name %s is not one of a secret",
  (name) => {
    expect(isSecretName(name)).toBe(false);
  },
);
