import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readSpecModels } from "../../../generator/read/spec-models.ts";
import { compareNotifications } from "../../../tools/replay/against/compare-notifications.ts";
import { compareValues } from "../../../tools/replay/against/compare-values.ts";
import { ForeignMembers } from "../../../tools/replay/against/foreign-members.ts";
import type { LiveNotification } from "../../../tools/replay/against/live-connection.ts";
import { MessageRedactor } from "../../../tools/replay/redact-message.ts";
import { temporaryFolder } from "../../kit/temporary-folders.ts";
import { replayAgainst } from "./record-session.ts";

/* Comparisons of a recording with a live server. */

describe("notifications", () => {
  const toLogs = (word: string, count: number): readonly LiveNotification[] =>
    Array.from({ length: count }, (_, index) => ({
      method: "notifications/message",
      params: { level: "info", data: `${word} ${index}` },
      sent: 0,
    }));

  test("each of many different notifications is compared with at most 100 others", async () => {
    let examined = 0;
    const isIgnored = (): boolean => {
      examined += 1;
      return false;
    };
    const options = { ignoredOf: () => isIgnored, redact: (params: unknown) => params };
    const changes = await compareNotifications(toLogs("step", 400), toLogs("stage", 400), options);
    expect(changes).toHaveLength(800);
    // Two members of each notification, and five places of each comparison.
    expect(examined).toBeLessThanOrEqual(2 * 800 + 5 * 400 * 100);
  });

  test.each<[name: string, recorded: unknown, live: unknown]>([
    ["the order of members", { data: { a: 1, b: 2 } }, { data: { b: 2, a: 1 } }],
    [
      "the order of items with names",
      { data: [{ name: "a" }, { name: "b" }] },
      { data: [{ name: "b" }, { name: "a" }] },
    ],
    ["JSON in a text", { data: '{"a":1,"b":2}' }, { data: '{"b":2,"a":1}' }],
    ["a time in a text", { data: "at 2026-01-01T00:00:00Z" }, { data: "at 2026-02-02T00:00:00Z" }],
    ["a secret", { data: { password: "[redacted 1]" } }, { data: { password: "other" } }],
    ["an ignored member", { data: { a: 1, ignored: 1 } }, { data: { a: 1, ignored: 2 } }],
    ["a task id", { data: { taskId: "a" } }, { data: { taskId: "b" } }],
    ["metadata and a progress token", { _meta: { a: 1 }, progressToken: 1 }, { progressToken: 2 }],
  ])("%s makes no difference", async (_name, recorded, live) => {
    const redactor = new MessageRedactor([]);
    const toOne = (params: unknown): readonly LiveNotification[] => [{ method: "n", params, sent: 0 }];
    const options = {
      ignoredOf: () => (path: readonly (string | number)[]) => path.at(-1) === "ignored",
      redact: (params: unknown) => redactor.redactValue(params),
    };
    expect(await compareNotifications(toOne(recorded), toOne(live), options)).toEqual([]);
  });

  test("a number that is near the time of one of the messages only makes no difference", async () => {
    const created = 1_780_000_000_000;
    const params = { data: { created } };
    const options = { ignoredOf: () => () => false, redact: (value: unknown) => value };
    const recorded = [{ method: "n", params, sent: created }];
    const live = [{ method: "n", params, sent: created + 7 * 86_400_000 }];
    expect(await compareNotifications(recorded, live, options)).toEqual([]);
    const other = [{ method: "n", params: { data: { created: 5 } }, sent: created }];
    expect(await compareNotifications(recorded, other, options)).toHaveLength(2);
  });

  test("equal notifications are counted, and secrets of the live server are not reported", async () => {
    const one = { method: "n", params: { data: { password: "open sesame" } }, sent: 0 };
    const redactor = new MessageRedactor([]);
    const options = { ignoredOf: () => () => false, redact: (params: unknown) => redactor.redactValue(params) };
    const changes = await compareNotifications([], [one, one], options);
    expect(changes).toHaveLength(2);
    expect(JSON.stringify(changes)).not.toContain("sesame");
  });
});

describe("members that one of two revisions does not have", () => {
  test.each<[other: string, kind: "ofResult" | "ofParams", method: string, foreign: string[], others: string[]]>([
    [
      "2025-03-26",
      "ofResult",
      "tools/list",
      ["tools.x.outputSchema", "tools.x.title", "tools.x.icons", "tools.x._meta", "tools.x.execution"],
      ["tools.x.annotations", "tools.x.inputSchema", "tools.x.inputSchema.title", "tools.x.unknown", "tools"],
    ],
    [
      "2025-03-26",
      "ofResult",
      "tools/call",
      ["structuredContent", "content.0._meta", "content.0.annotations.lastModified"],
      ["content.0.text.context", "content.0.text.annotations", "content.0.text", "_meta.execution", "isError"],
    ],
    ["2024-11-05", "ofResult", "tools/list", ["tools.x.annotations"], ["tools.annotations.name"]],
    ["2025-03-26", "ofResult", "prompts/list", ["prompts.x.arguments.y.title"], ["prompts.x.arguments.y.required"]],
    ["2025-03-26", "ofResult", "resources/read", ["contents.0._meta"], ["contents.0.text.title"]],
    ["2026-07-28", "ofResult", "tools/call", ["resultType"], ["inputRequests", "requestState", "structuredContent.a"]],
    ["2025-06-18", "ofParams", "elicitation/create", ["mode"], ["message", "requestedSchema.properties.mode"]],
    ["2025-03-26", "ofParams", "notifications/message", [], ["data.title", "data"]],
    ["2025-03-26", "ofResult", "none", [], ["title"]],
  ])("%s, %s of %s", async (other, kind, method, foreign, others) => {
    const { models } = await readSpecModels();
    const find = (id: string) => models.find((model) => model.id === id) ?? expect.unreachable();
    const isForeign = new ForeignMembers(find("2025-11-25"), find(other))[kind](method);
    const test = (path: string): boolean =>
      isForeign(path.split(".").map((part) => (/^\d+$/.test(part) ? Number(part) : part)));
    expect(foreign.filter((path) => !test(path))).toEqual([]);
    expect(others.filter(test)).toEqual([]);
  });

  test("an older revision is compared without them, and with the content of JSON texts", async () => {
    const folder = temporaryFolder();
    const [path, server] = [join(folder, "session.jsonl"), join(folder, "server.mjs")];
    writeRecording(path, [
      [2, "tools/list", {}, { tools: [{ ...tool, outputSchema: { type: "object" }, icons: [] }] }],
      [3, "tools/call", { name: "get_book" }, { content: [{ type: "text", text: '{"context":"Emma"}' }] }],
    ]);
    writeFileSync(server, serverText);
    const { code, stdout } = await replayAgainst(path, { args: [server] }, { protocol: "2025-03-26" });
    expect([code, stdout]).toEqual([1, expect.stringContaining(": 0 added, 0 removed, 1 changed")]);
    expect(stdout).toContain('content.0.text.context changed from "Emma" to "Hamlet"');
  });
});

describe("numbers that are times", () => {
  const recorded = Date.parse("2026-01-01T00:00:00Z");
  const live = Date.parse("2026-03-01T00:00:00Z");

  test.each<[name: string, before: number, after: number, isSame: boolean]>([
    ["population", 1_417_492_000, 9_999_999_999, false],
    ["bytes", 1_073_741_824, 4_294_967_296, false],
    ["bytes", 1_073_741_824_000, 4_294_967_296_000, false],
    ["candidates", 1_417_492_000, 1_417_492_001, false],
    ["value", recorded + 5000, live + 5000, true],
    ["value", recorded / 1000 + 5, live / 1000 + 5, true],
    ["value", recorded, recorded + 1, false],
    ["expiresAt", 1_417_492_000, 1_999_999_999, true],
    ["mtimeMs", 1_417_492_000_000, 1_999_999_999_000, true],
    ["start_date", 1_417_492_000, 1_999_999_999, true],
    ["timestamp", 1_417_492_000, 1_999_999_999, true],
    ["timestamp", 1, 2, false],
  ])("%s: %d and %d", (name, before, after, isSame) => {
    const options = { isIgnored: () => false, sent: { recorded, live } };
    expect(compareValues({ [name]: before }, { [name]: after }, options)).toHaveLength(isSame ? 0 : 1);
  });
});

const tool = { name: "get_book", inputSchema: { type: "object" } };

/** Server that responds with the texts of another book. */
const serverText = `import { createInterface } from "node:readline";
const results = {
  initialize: (params) => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "books", version: "1" } }),
  "tools/list": () => ({ tools: [${JSON.stringify(tool)}] }),
  "tools/call": () => ({ content: [{ type: "text", text: '{"context":"Hamlet"}' }] }),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: results[method]?.(params) ?? {} }));
});
`;

/** Writes a recording of a server with tools at revision 2025-11-25. */
function writeRecording(
  path: string,
  exchanges: readonly (readonly [id: number, method: string, params: object, result: object])[],
): void {
  const header = {
    format: "mcp-recording",
    version: 1,
    protocol: "2025-11-25",
    server: { name: "books", version: "1" },
  };
  const opening = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "host", version: "1" } };
  const opened = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: header.server };
  const all = [[1, "initialize", opening, opened] as const, ...exchanges];
  const lines = all.flatMap(([id, method, params, result]) => [
    { connection: "one", direction: "to-server", message: { jsonrpc: "2.0", id, method, params } },
    { connection: "one", direction: "to-client", message: { jsonrpc: "2.0", id, result } },
  ]);
  writeFileSync(path, [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(""));
}
