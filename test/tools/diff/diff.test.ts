import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compareContracts } from "../../../generator/typed-client/contract/compare-contracts.ts";
import { readContract } from "../../../generator/typed-client/contract/read-contract.ts";
import { runDiff, type DiffCommandOptions } from "../../../cli/commands/diff.ts";
import { captured, type CommandResult } from "../../kit/commands.ts";
import { temporaryFolder } from "../../kit/temporary-folders.ts";

function diff(older: string, newer: string, options: Partial<DiffCommandOptions> = {}): Promise<CommandResult> {
  return captured(() => runDiff({ older, newer, format: "text", ...options }));
}

describe("differences of servers", () => {
  const tool = (inputSchema: object, more: object = {}): object => ({
    tools: [{ name: "t", inputSchema: { type: "object", ...inputSchema }, ...more }],
  });
  const offer = (more: object): object => ({ tools: [], ...more });
  const output = (schema: object): object => tool({}, { outputSchema: { type: "object", ...schema } });
  const a = (schema: object, more: object = {}): object => ({ properties: { a: schema }, ...more });
  const whole = (rule: object): object => a({ type: "integer", ...rule });
  const node = (more: object): object => ({
    properties: { a: { $ref: "#/$defs/n" } },
    $defs: { n: { type: "object", properties: { next: { $ref: "#/$defs/n" }, ...more } } },
  });

  /** A tree whose levels are written out two at a time in its definition, which the root refers to at some depth. */
  const tree = (depth: number, limits: object = {}): object => {
    const reference = { $ref: "#/$defs/n", ...limits };
    const level = a(reference, { type: "object", ...limits });
    return { ...a(depth === 1 ? reference : level), $defs: { n: a(level, { type: "object" }) } };
  };

  test.each<[string, object, object, string[]]>([
    ["equal tools", tool(a({})), tool(a({})), []],
    ["an added tool", { tools: [] }, tool({}), ["additive"]],
    ["a removed tool", tool({}), { tools: [] }, ["breaking"]],
    ["another description", tool({}, { description: "x" }), tool({}, { description: "y" }), ["risky"]],
    ["another title", tool({}, { title: "x" }), tool({}, { title: "y" }), ["neutral"]],
    [
      "an added title of a prompt",
      offer({ prompts: [{ name: "p" }] }),
      offer({ prompts: [{ name: "p", title: "P" }] }),
      ["neutral"],
    ],
    [
      "an added title of a resource",
      offer({ resources: [{ uri: "a:b" }] }),
      offer({ resources: [{ uri: "a:b", title: "B" }] }),
      ["neutral"],
    ],
    ["a newer revision", offer({ revision: "2025-06-18" }), offer({ revision: "2025-11-25" }), ["additive"]],
    ["an older revision", offer({ revision: "2025-11-25" }), offer({ revision: "2025-06-18" }), ["risky"]],
    ["a revision that is unknown on one side", offer({ revision: "2025-11-25" }), offer({}), []],
    [
      "an added capability",
      offer({ capabilities: { tools: { listChanged: false } } }),
      offer({ capabilities: { tools: { listChanged: true } } }),
      ["additive"],
    ],
    [
      "a removed capability",
      offer({ capabilities: ["logging", "tools"] }),
      offer({ capabilities: { tools: {} } }),
      ["risky"],
    ],
    ["capabilities that are unknown on one side", offer({}), offer({ capabilities: { tools: {} } }), []],
    ["a tool that becomes destructive", tool({}, { annotations: { destructiveHint: false } }), tool({}), ["risky"]],
    ["an added argument", tool({}), tool(a({ type: "string" })), ["additive"]],
    ["an added required argument", tool({}), tool(a({}, { required: ["a"] })), ["breaking"]],
    ["a removed argument", tool(a({})), tool({}), ["risky"]],
    [
      "a removed argument that is rejected now",
      tool(a({})),
      tool({ additionalProperties: false }),
      ["breaking", "breaking"],
    ],
    ["an argument that is required now", tool(a({})), tool(a({}, { required: ["a"] })), ["breaking"]],
    ["an argument that is optional now", tool(a({}, { required: ["a"] })), tool(a({})), ["additive"]],
    ["an argument of another type", tool(a({ type: "string" })), tool(a({ type: "number" })), ["breaking", "additive"]],
    ["integers that may be numbers", tool(a({ type: "integer" })), tool(a({ type: "number" })), ["additive"]],
    ["a removed choice", tool(a({ enum: ["x", "y"] })), tool(a({ enum: ["x"] })), ["breaking"]],
    ["an added choice", tool(a({ enum: ["x"] })), tool(a({ enum: ["x", "y"] })), ["additive"]],
    ["a tighter limit", tool(a({ maximum: 9 })), tool(a({ maximum: 5 })), ["breaking"]],
    ["a wider limit", tool(a({ maximum: 5 })), tool(a({ maximum: 9 })), ["additive"]],
    [
      "a removed key of a record",
      tool(a({ type: "object", propertyNames: { enum: ["x", "y"] } })),
      tool(a({ type: "object", propertyNames: { enum: ["x"] } })),
      ["breaking"],
    ],
    [
      "keys that are declared as strings",
      tool(a({ type: "object" })),
      tool(a({ type: "object", propertyNames: { type: "string" } })),
      [],
    ],
    ["another pattern", tool(a({ pattern: "a" })), tool(a({ pattern: "b" })), ["breaking"]],
    ["a pattern of the result", output(a({})), output(a({ pattern: "a" })), ["additive"]],
    ["another pattern of the result", output(a({ pattern: "^a$" })), output(a({ pattern: "^b$" })), ["risky"]],
    ["a result without its pattern", output(a({ pattern: "a" })), output(a({})), ["risky"]],
    ["another format", tool(a({ format: "uuid" })), tool(a({ format: "email" })), ["breaking"]],
    ["another format of the result", output(a({ format: "uuid" })), output(a({ format: "email" })), ["risky"]],
    ["an added format", tool(a({})), tool(a({ format: "email" })), ["breaking"]],
    ["a removed format", tool(a({ format: "email" })), tool(a({})), ["additive"]],
    ["a wider format", tool(a({ format: "int32" })), tool(a({ format: "int64" })), ["additive"]],
    ["a wider format of the result", output(a({ format: "uri" })), output(a({ format: "iri" })), ["risky"]],
    ["fewer multiples", tool(a({ multipleOf: 2 })), tool(a({ multipleOf: 4 })), ["breaking"]],
    ["more multiples", tool(a({ multipleOf: 0.3 })), tool(a({ multipleOf: 0.1 })), ["additive"]],
    ["fewer multiples of the result", output(a({ multipleOf: 2 })), output(a({ multipleOf: 4 })), ["additive"]],
    ["other multiples of the result", output(a({ multipleOf: 2 })), output(a({ multipleOf: 3 })), ["risky"]],
    ["a wider exclusive limit", tool(a({ minimum: 5 })), tool(a({ exclusiveMinimum: 1 })), ["additive"]],
    ["a tighter exclusive limit", tool(a({ maximum: 5 })), tool(a({ exclusiveMaximum: 5 })), ["breaking"]],
    ["an exclusive limit without effect", tool(a({ minimum: 5 })), tool(a({ minimum: 5, exclusiveMinimum: 4 })), []],
    ["an equal limit of integers", tool(whole({ minimum: 1 })), tool(whole({ exclusiveMinimum: 0 })), []],
    ["multiples of one of integers", tool(whole({})), tool(whole({ multipleOf: 1 })), []],
    ["a limit of zero", tool(a({ exclusiveMinimum: -1 })), tool(a({ minimum: 0 })), ["breaking"]],
    ["a least length that every text has", tool(a({})), tool(a({ minLength: 0, minItems: 0 })), []],
    [
      "other alternatives",
      tool(a({ anyOf: [{ type: "string" }] })),
      tool(a({ anyOf: [{ type: "string" }, { type: "null" }] })),
      ["risky"],
    ],
    [
      "members that may have a text, and must not be there now",
      tool({ additionalProperties: { type: "string" } }),
      tool({ additionalProperties: false }),
      ["breaking"],
    ],
    [
      "items of any kind that are restricted by a reference now",
      tool(a({ type: "array" }, { $defs: { n: { type: "string" } } })),
      tool(a({ type: "array", items: { $ref: "#/$defs/n" } }, { $defs: { n: { type: "string" } } })),
      ["breaking"],
    ],
    [
      "a limit beside a reference",
      tool(a({ $ref: "#/$defs/n" }, { $defs: { n: { type: "string" } } })),
      tool(a({ $ref: "#/$defs/n", maxLength: 3 }, { $defs: { n: { type: "string" } } })),
      ["breaking"],
    ],
    ["a tree that is written in another way", tool(tree(1)), tool(tree(2)), []],
    [
      "a tree with a limit beside its reference",
      tool(tree(1, { minProperties: 1 })),
      tool(tree(2, { minProperties: 2 })),
      ["breaking", "breaking", "breaking", "breaking"],
    ],
    [
      "keywords whose effect is not compared",
      tool(a({ type: "object", dependentRequired: { b: ["c"] } }, { not: { required: ["x"] } })),
      tool(a({ type: "object", dependentRequired: { b: ["d"] } }, { not: { required: ["y"] } })),
      ["risky", "risky"],
    ],
    [
      "equal keywords whose effect is not compared",
      tool(a({ type: "object", patternProperties: { "^x": { type: "string" } } })),
      tool(a({ type: "object", patternProperties: { "^x": { type: "string" } } })),
      [],
    ],
    [
      "values that are objects",
      tool(a({ enum: [{ unit: "m" }] })),
      tool(a({ enum: [{ unit: "m" }, { unit: "ft" }] })),
      ["risky"],
    ],
    ["an added member of a tree", tool(node({})), tool(node({ v: { type: "string" } })), ["additive"]],
    ["a schema that cannot be read", tool({}), { tools: [{ name: "t", inputSchema: [] }] }, ["risky"]],
    ["a result that is typed now", tool({}), output({}), ["additive"]],
    ["a result that is no longer typed", output({}), tool({}), ["breaking"]],
    ["an added member of the result", output({}), output(a({}, { required: ["a"] })), ["additive"]],
    [
      "an added member of a result that had no others",
      output({ additionalProperties: false }),
      output(a({}, { required: ["a"], additionalProperties: false })),
      ["breaking"],
    ],
    [
      "an added optional member of a result that had no others",
      output({ additionalProperties: false }),
      output(a({}, { additionalProperties: false })),
      ["risky"],
    ],
    ["a result that may have other members now", output({ additionalProperties: false }), output({}), ["risky"]],
    ["a result that has no other members now", output({}), output({ additionalProperties: false }), ["additive"]],
    ["arguments that may have other members now", tool({ additionalProperties: false }), tool({}), ["additive"]],
    ["a removed member of the result", output(a({}, { required: ["a"] })), output({}), ["breaking"]],
    ["a removed optional member of the result", output(a({})), output({}), ["risky"]],
    ["an added value of the result", output(a({ enum: ["x"] })), output(a({ enum: ["x", "y"] })), ["risky"]],
    ["a removed value of the result", output(a({ enum: ["x", "y"] })), output(a({ enum: ["x"] })), ["additive"]],
    ["a member of the result that becomes optional", output(a({}, { required: ["a"] })), output(a({})), ["breaking"]],
    [
      "a member of the result that becomes nullable",
      output(a({ type: "string" })),
      output(a({ type: ["string", "null"] })),
      ["breaking"],
    ],
    [
      "an added required argument of a prompt",
      { tools: [], prompts: [{ name: "p" }] },
      { tools: [], prompts: [{ name: "p", arguments: [{ name: "a", required: true }] }] },
      ["breaking"],
    ],
    ["a removed template", { tools: [], resourceTemplates: [{ uriTemplate: "a://{b}" }] }, { tools: [] }, ["breaking"]],
    ["a removed resource", { tools: [], resources: [{ uri: "a://b" }] }, { tools: [] }, ["risky"]],
  ])("a comparison gives each change its impact: %s", (_what, older, newer, impacts) => {
    const found = compareContracts(readContract(older, "older"), readContract(newer, "newer"));
    expect(found.map(({ client }) => client)).toEqual(impacts);
  });
});

describe("create-mcp-server diff", () => {
  const evil = "</script><img src=x onerror=alert(1)>|`@a\u202e\"'";

  function folderWithLists(): { readonly older: string; readonly newer: string; readonly folder: string } {
    const folder = temporaryFolder();
    const [older, newer] = ["older.json", "newer.json"].map((name) => join(folder, name));
    writeFileSync(older ?? "", JSON.stringify({ tools: [{ name: evil }] }));
    writeFileSync(newer ?? "", JSON.stringify({ tools: [{ name: "new", description: evil }] }));
    return { older: older ?? "", newer: newer ?? "", folder };
  }

  test("`diff` reports two lists of tools in every format, and fails with `--fail-on`", async () => {
    const { older, newer } = folderWithLists();
    const text = await diff(older, newer);
    expect(text).toMatchObject({ code: 0, stderr: "" });
    expect(text.stdout.split("\n")).toHaveLength(5);
    expect((await diff(older, newer, { failOn: "breaking" })).code).toBe(1);
    expect((await diff(older, older, { failOn: "neutral" })).code).toBe(0);
    const json = JSON.parse((await diff(older, newer, { format: "json" })).stdout);
    expect(json).toMatchObject({ kind: "servers", verdict: { client: "breaking" } });
    const markdown = (await diff(older, newer, { format: "markdown" })).stdout;
    const rows = markdown.split("\n").filter((line) => line.startsWith("| breaking"));
    expect(rows).toHaveLength(1);
    expect(rows[0]?.replaceAll(/\\./g, "").split("|")).toHaveLength(5);
    expect(markdown).not.toMatch(/<|@a/);
  });

  test("`diff` writes a page that loads nothing and escapes all text of servers", async () => {
    const { older, newer, folder } = folderWithLists();
    const output = join(folder, "page.html");
    expect((await diff(older, newer, { format: "html", output })).code).toBe(0);
    const page = readFileSync(output, "utf8");
    expect(page).not.toMatch(/<img|src=x[^&]*>|https?:|\u202e/);
    const scripts = [...page.matchAll(/<script>([^]*?)<\/script>/g)].map(([, code = ""]) => code);
    expect(scripts).toHaveLength(1);
    const hash = createHash("sha256")
      .update(scripts[0] ?? "")
      .digest("base64");
    expect(page).toContain(`default-src 'none'; `);
    expect(page).toContain(`script-src 'sha256-${hash}'`);
  });

  test(
    "a page of `diff` shows all revisions, the senders of each method, and both versions of a type",
    { timeout: 120_000 },
    async () => {
      const { code, stdout } = await diff("2025-06-18", "2025-11-25", { format: "html" });
      expect(stdout).not.toMatch(/<th[^>]*><\/th>/);
      expect(stdout).toContain('<span class="new">new</span>');
      expect(code).toBe(0);
      expect(stdout.match(/<li( class="compared")?>/g)).toHaveLength(5);
      expect(stdout.match(/<li class="compared">/g)).toHaveLength(2);
      expect(stdout).toMatch(
        /tasks\/get<\/code><\/th>(<td><i>–<\/i><\/td>){3}<td class="new"><span class="chip">client<\/span> <span class="chip">server<\/span><\/td><td class="gone"><i>–/,
      );
      expect(stdout).toMatch(/<summary><code>Tool<\/code><\/summary>[^]*?<ins>execution\?: ToolExecution<\/ins>/);
    },
  );

  test.each<[string, string, string, Partial<DiffCommandOptions>, RegExp]>([
    ["an unknown revision", "2025-06-18", "2025-06-19", {}, /unknown revision "2025-06-19"/],
    ["two unknown revisions", "1999-01-01", "1999-01-02", {}, /unknown revision/],
    ["a revision and a server", "2025-06-18", "older.json", {}, /unknown revision ".*older\.json"/],
    ["a missing file", "absent.json", "older.json", {}, /absent\.json does not exist/],
    [
      "a folder without a lock file",
      "empty",
      "older.json",
      {},
      /mcp\.client\.lock\.json does not exist; check the path/,
    ],
    ["no server", "", "older.json", {}, /no server is given/],
    ["an invalid address", "gopher://x", "older.json", {}, /is not the address of a server/],
    [
      "an output path that cannot be written",
      "older.json",
      "newer.json",
      { output: "empty" },
      /cannot be written \(EISDIR\)/,
    ],
  ])("`diff` rejects %s", async (_what, older, newer, options, message) => {
    const { folder } = folderWithLists();
    mkdirSync(join(folder, "empty"));
    const place = (word: string): string => (/^(\w+\.json|empty)$/.test(word) ? join(folder, word) : word);
    const { code, stderr } = await diff(place(older), place(newer), {
      ...options,
      ...(options.output !== undefined && { output: place(options.output) }),
    });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n +at /);
    expect(code).toBe(2);
  });
});
