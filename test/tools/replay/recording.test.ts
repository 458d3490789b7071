import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { readRecording } from "../../../tools/replay/read-recording.ts";
import { readRecordedContract } from "../../../tools/replay/recorded-contract.ts";
import { MessageRedactor } from "../../../tools/replay/redact-message.ts";
import { createRecorder, Recorder, type RecorderOptions } from "../../../tools/replay/write-recording.ts";
import type { TrafficEntry } from "../../../runtime/gateway/index.ts";
import { temporaryFolder } from "../../kit/temporary-folders.ts";

/* Files of recordings: their content, and files that are damaged or hostile. */

const protocol = revisions[0]?.id ?? "";
const server = { info: { name: "test", version: "1" }, revision: { id: protocol } };
const header = { format: "mcp-recording", version: 1, tool: "t", protocol, server: server.info, redacted: [] };

interface Written {
  readonly path: string;
  readonly recorder: Recorder;
  readonly notices: string[];
  /** The lines of the file, parsed. */
  lines(): unknown[];
}

function open(options: Partial<RecorderOptions> = {}): Written {
  const path = options.path ?? join(temporaryFolder(), "session.jsonl");
  const notices: string[] = [];
  const onNotice = (notice: string): void => void notices.push(notice);
  const recorder = new Recorder({ path, ifExists: "reject", redact: [], onNotice, ...options });
  const lines = (): unknown[] => {
    const text = readFileSync(path, "utf8").trimEnd();
    return text.split("\n").map((line): unknown => JSON.parse(line));
  };
  return { path, recorder, notices, lines };
}

function entry(message: unknown, more: Partial<TrafficEntry> = {}): TrafficEntry {
  return {
    sequence: 1,
    time: 0,
    side: "server",
    connection: "server-1",
    direction: "to-server",
    protocol,
    message,
    ...more,
  };
}

function request(params: unknown): object {
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params };
}

describe("a recording", () => {
  test("a recording has a header and one line a message, which only its owner can read", () => {
    const { path, recorder, lines } = open();
    recorder.record(entry(request({ name: "a" })));
    recorder.record(entry(request({ name: "b" }), { side: "client" }));
    recorder.begin(server);
    recorder.record(
      entry(request({ name: "c" }), { sequence: 2, problem: { path: "id", message: "expected string" } }),
    );
    expect(lines()).toEqual([
      { ...header, tool: expect.stringMatching(/^create-mcp-server \d/), started: expect.stringMatching(/Z$/) },
      expect.objectContaining({
        sequence: 1,
        connection: "server-1",
        direction: "to-server",
        message: request({ name: "a" }),
      }),
      expect.objectContaining({ sequence: 2, problem: { path: "id", message: "expected string" } }),
    ]);
    recorder.close();
    if (process.platform !== "win32") expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("a recording replaces no file unless it may, and then no link and no folder", () => {
    const folder = temporaryFolder();
    const path = join(folder, "old.jsonl");
    writeFileSync(path, "precious");
    expect(() => open({ path })).toThrow(`${path} exists; choose another file, or replace it with --force.`);
    const { recorder, lines } = open({ path, ifExists: "replace" });
    expect(readFileSync(path, "utf8")).toBe("precious");
    recorder.begin(server);
    recorder.close();
    expect(lines()).toHaveLength(1);
    const link = join(folder, "link.jsonl");
    symlinkSync(path, link);
    for (const taken of [link, folder])
      expect(() => open({ path: taken, ifExists: "replace" }).recorder.begin(server)).toThrow(
        "cannot be created (EEXIST)",
      );
    expect(() => open({ path: join(folder, "no", "such.jsonl") }).recorder.begin(server)).toThrow("(ENOENT)");
  });

  test("a recording with a number has a file of its own, also beside one that begins at the same time", () => {
    const folder = temporaryFolder();
    const path = join(folder, "a.session.jsonl");
    const opened = ["first", "second", "third"].map(() => open({ path, ifExists: "number" }));
    for (const { recorder } of opened) {
      recorder.begin(server);
      recorder.record(entry(request({ name: "a" })));
    }
    const paths = [path, join(folder, "a.session-2.jsonl"), join(folder, "a.session-3.jsonl")];
    for (const [index, { recorder, notices }] of opened.entries()) {
      recorder.close();
      expect(notices).toEqual([`The messages of the server are recorded in ${paths[index]}`]);
    }
    for (const file of paths) expect(readFileSync(file, "utf8").match(/\n/g)).toHaveLength(2);
    expect(readdirSync(folder)).toHaveLength(3);
  });

  test("a recording of a command that hosts start again is never replaced", () => {
    const folder = temporaryFolder();
    const path = join(folder, "old.jsonl");
    expect(() => createRecorder({ record: path, redact: [], force: true, stdio: true })).toThrow(
      "--force applies to --listen only; remove it: with --stdio, each start has a file of its own.",
    );
    const notices = vi.spyOn(console, "error").mockReturnValue(undefined);
    onTestFinished(() => notices.mockRestore());
    for (const name of ["old.jsonl", "old-2.jsonl"]) {
      const recorder = createRecorder({ record: path, redact: [], force: false, stdio: true });
      recorder?.begin(server);
      recorder?.close();
      expect(readdirSync(folder)).toContain(name);
    }
    expect(() => createRecorder({ record: path, redact: [], force: false })).toThrow(`${path} exists`);
  });

  test("a recording ends with a notice at its limit, and stays readable", async () => {
    const { path, recorder, notices, lines } = open({ maxBytes: 1_000 });
    recorder.begin(server);
    for (let index = 0; index < 100; index += 1) recorder.record(entry(request({ name: "a".repeat(50) })));
    recorder.close();
    expect(notices).toEqual([
      `The messages of the server are recorded in ${path}`,
      expect.stringContaining("the file has reached its limit of 1000 bytes"),
    ]);
    expect(lines().at(-1)).toEqual({ notice: expect.stringContaining("limit of 1000 bytes") });
    expect(statSync(path).size).toBeLessThan(1_200);
    const { messages, notices: read } = await readRecording(path);
    expect(messages.length).toBeGreaterThan(2);
    expect(read).toEqual([expect.stringContaining("The recording ends here")]);
  });
});

test("a message as deep as a gateway accepts is read from its recording", async () => {
  const { path, recorder } = open();
  recorder.begin(server);
  // The message and its params are two of the 512 levels.
  const params = Array.from({ length: 510 }).reduce<object>((inner) => ({ a: inner }), {});
  recorder.record(entry(request(params)));
  recorder.close();
  expect((await readRecording(path)).messages).toHaveLength(1);
});

test.each([
  ["", undefined],
  ["", { tools: [{ name: "a", inputSchema: { type: "object" } }], nextCursor: "" }],
  [null, undefined],
])("a recorded list ends with the cursor %j (followed: %j)", async (nextCursor, again) => {
  const { path, recorder } = open();
  recorder.begin(server);
  const record = (direction: "to-server" | "to-client", message: object): void =>
    recorder.record(entry({ jsonrpc: "2.0", ...message }, { direction }));
  const tools = [{ name: "a", inputSchema: { type: "object" } }];
  record("to-server", { id: 1, method: "tools/list" });
  record("to-client", { id: 1, result: { tools, nextCursor } });
  if (again) {
    record("to-server", { id: 2, method: "tools/list", params: { cursor: nextCursor } });
    record("to-client", { id: 2, result: again });
  }
  recorder.close();
  expect(readRecordedContract(await readRecording(path)).tools.map(({ name }) => name)).toEqual(["a"]);
});

describe("secrets in a recording", () => {
  const cases: readonly (readonly [name: string, given: unknown, recorded: unknown])[] = [
    [
      "members with secret names",
      { password: "p1", Authorization: "x" },
      { password: "[redacted 1]", Authorization: "[redacted 2]" },
    ],
    [
      "equal secrets",
      { token: "s", other: [{ apiKey: "s" }] },
      { token: "[redacted 1]", other: [{ apiKey: "[redacted 1]" }] },
    ],
    [
      "everything in a secret",
      { credentials: { pin: 7, list: ["a"], on: true } },
      { credentials: { pin: 0, list: ["[redacted 1]"], on: true } },
    ],
    ["members that --redact names", { Customer: "ada", customers: "x" }, { Customer: "[redacted 1]", customers: "x" }],
    ["tokens in texts", "use Bearer abcdefghijkl now", "use [redacted] now"],
    [
      "credentials in URLs",
      "https://ada:pw@example.com/a?page=2&token=abc",
      "https://[redacted]@example.com/a?page=2&token=[redacted]",
    ],
    ["JSON in texts", '{ "user": "ada", "secret": "a\\"b" }', '{ "user": "ada", "secret": "[redacted]" }'],
    [
      "numbers, lists and objects in JSON in texts",
      '{ "pin": 4711, "tokens": ["a]", "b"], "n": 5, "customer": { "name": "ada", "ids": [-1.5e3] }, "z": [1] }',
      '{ "pin": 0, "tokens": ["[redacted]", "[redacted]"], "n": 5, "customer": { "name": "[redacted]", "ids": [0] }, "z": [1] }',
    ],
    [
      "JSON in strings of JSON in texts",
      `{"a":"x\\"y","body":${JSON.stringify(JSON.stringify({ body: JSON.stringify({ token: "t", n: 5 }) }))}}`,
      `{"a":"x\\"y","body":${JSON.stringify(JSON.stringify({ body: JSON.stringify({ token: "[redacted]", n: 5 }) }))}}`,
    ],
    [
      "a list in a text that is cut off",
      '"a": [1], "password": ["p1", "p',
      '"a": [1], "password": ["[redacted]", "[redacted]"',
    ],
    [
      "arguments of completions",
      { argument: { name: "Customer", value: "ada" }, more: { argument: { name: "city", value: "Rome" } } },
      { argument: { name: "Customer", value: "[redacted 1]" }, more: { argument: { name: "city", value: "Rome" } } },
    ],
    ["variables in texts", "USER=ada\nGITHUB_TOKEN=abc def\n", "USER=ada\nGITHUB_TOKEN=[redacted]\n"],
    [
      "names of the protocol",
      { maxTokens: 9, _meta: { progressToken: "t" } },
      { maxTokens: 9, _meta: { progressToken: "t" } },
    ],
    [
      "names in schemas",
      { inputSchema: { properties: { token: { type: "string" } }, required: ["token"] } },
      { inputSchema: { properties: { token: { type: "string" } }, required: ["token"] } },
    ],
    [
      "long texts that a careless pattern never matches in time",
      { letters: "a".repeat(1_000_000), marks: "-eyJ".repeat(250_000), quotes: '\\"a\\":\\"'.repeat(75_000) },
      undefined,
    ],
    [
      "long and deep values",
      { text: "x".repeat(5_000), a: { b: { c: { d: { e: { f: { g: { h: 1 } } } } } } } },
      undefined,
    ],
  ];

  test.each(cases)("%s are recorded as they may be", (_name, given, recorded) => {
    const { recorder, lines } = open({ redact: ["customer"] });
    recorder.begin(server);
    for (const message of [
      request({ name: "a", arguments: { given } }),
      { jsonrpc: "2.0", id: 1, result: { structuredContent: { given } } },
      { jsonrpc: "2.0", id: 1, error: { code: -32000, message: "no", data: { given } } },
    ])
      recorder.record(entry(message));
    recorder.close();
    const expected = recorded ?? given;
    expect(lines().slice(1)).toEqual([
      expect.objectContaining({ message: request({ name: "a", arguments: { given: expected } }) }),
      expect.objectContaining({
        message: { jsonrpc: "2.0", id: 1, result: { structuredContent: { given: expected } } },
      }),
      expect.objectContaining({
        message: expect.objectContaining({ error: { code: -32000, message: "no", data: { given: expected } } }),
      }),
    ]);
  });
});

test("members of a message or an error that no revision has are redacted", () => {
  const redactor = new MessageRedactor(["customer"]);
  const error = { code: -32000, message: "no", token: "a", customer: "ada", hint: "b" };
  expect(redactor.redact({ jsonrpc: "2.0", id: "c", error, session: "a", hint: "b" })).toEqual({
    jsonrpc: "2.0",
    id: "c",
    error: { code: -32000, message: "no", token: "[redacted 1]", customer: "[redacted 2]", hint: "b" },
    session: "[redacted 1]",
    hint: "b",
  });
});

describe("secrets in schemas", () => {
  const redact = (properties: object, known: object = {}): unknown => {
    const redactor = new MessageRedactor(["customer"]);
    redactor.redactValue({ arguments: known });
    return redactor.redactValue({ inputSchema: { type: "object", properties } });
  };

  test.each<[string, object, object]>([
    [
      "default values and examples of secret members",
      { apiKey: { type: "string", default: "k-1", examples: ["k-1", "k-2"] } },
      { apiKey: { type: "string", default: "[redacted 1]", examples: ["[redacted 1]", "[redacted 2]"] } },
    ],
    [
      "default values of members within secret ones, and of further names",
      { credentials: { properties: { user: { default: "ada" } } }, Customer: { anyOf: [{ default: "ada" }] } },
      {
        credentials: { properties: { user: { default: "[redacted 1]" } } },
        Customer: { anyOf: [{ default: "[redacted 1]" }] },
      },
    ],
    [
      "secret members of default values",
      { login: { default: { user: "ada", password: "pw" } } },
      { login: { default: { user: "ada", password: "[redacted 1]" } } },
    ],
    [
      "choices, which clients need",
      { session: { enum: ["morning", "evening"], const: "evening" }, city: { default: "Rome" } },
      { session: { enum: ["morning", "evening"], const: "evening" }, city: { default: "Rome" } },
    ],
    [
      "members that are called like keywords",
      { default: { type: "string" }, properties: { default: "Rome" }, token: { title: "token" } },
      { default: { type: "string" }, properties: { default: "Rome" }, token: { title: "token" } },
    ],
  ])("%s are recorded as they may be", (_name, given, recorded) => {
    expect(redact(given)).toEqual({ inputSchema: { type: "object", properties: recorded } });
  });

  test("texts that were secrets in an earlier message are redacted", () => {
    const known = { password: "correct horse", key: "C" };
    const given = {
      a: { default: "correct horse", enum: ["correct horse", "C"] },
      b: { const: { c: "correct horse" } },
    };
    expect(redact(given, known)).toMatchObject({
      inputSchema: {
        properties: {
          a: { default: "[redacted 1]", enum: ["[redacted 1]", "C"] },
          b: { const: { c: "[redacted 1]" } },
        },
      },
    });
  });
});

test("secrets in JSON with a string of 20 MB are redacted (it exceeded the stack)", { timeout: 60_000 }, () => {
  const text = (token: string): string => `{"data":"${"x".repeat(20_000_000)}","token":"${token}"}`;
  expect(new MessageRedactor([]).redactValue(text("abc")) === text("[redacted]")).toBe(true);
});

describe("a file that is no recording, or a damaged one", () => {
  const line = JSON.stringify(entry(request({ name: "a" })));
  const head = JSON.stringify(header);
  const nested = `${"[".repeat(600)}${"]".repeat(600)}`;
  const cases: readonly (readonly [name: string, content: string, problem: string])[] = [
    ["an empty file", "", "is empty; record a server with gateway --record."],
    ["another text", "hello\n", "is not a recording: its first line is not a header"],
    ["JSON of another kind", '{"tools":[]}\n', "is not a recording: its first line is not a header"],
    ["a recording without its header", `${line}\n`, "is not a recording: its first line is not a header"],
    [
      "a newer format",
      `${JSON.stringify({ ...header, version: 2 })}\n`,
      "has version 2 of the format, and this program reads 1",
    ],
    [
      "a header without a server",
      `${JSON.stringify({ ...header, server: null })}\n`,
      "is damaged: its header has no protocol or no server",
    ],
    [
      "an unknown revision",
      `${JSON.stringify({ ...header, protocol: "3000-01-01" })}\n`,
      "has revision 3000-01-01, and this program knows",
    ],
    [
      "a cut line in the middle",
      `${head}\n${line.slice(0, 40)}\n${line}\n`,
      "is damaged in line 2: The message is not valid JSON",
    ],
    ["a line of another kind", `${head}\n[1]\n`, "is damaged in line 2: It is not an object"],
    ["a line without its connection", `${head}\n{"message":{}}\n`, "is damaged in line 2: It has no connection"],
    [
      "a line without a direction",
      `${head}\n{"connection":"a","direction":"up","message":{}}\n`,
      "is damaged in line 2: It has no direction",
    ],
    ["a deep line", `${head}\n${nested}\n`, "is damaged in line 2: The message is nested deeper than"],
    [
      "a huge line",
      `${head}\n{"a":"${"x".repeat(33 * 1024 * 1024)}"}\n`,
      "is damaged in line 2: The message is longer than",
    ],
    [
      "control characters",
      `${JSON.stringify({ ...header, protocol: "\u001b[2Jx" })}\n`,
      "has revision [2Jx, and this program knows",
    ],
  ];

  test.each(cases)("%s has a clear error", async (_name, content, problem) => {
    const path = join(temporaryFolder(), "file.jsonl");
    writeFileSync(path, content);
    await expect(readRecording(path)).rejects.toThrow(`${path} ${problem}`);
  });

  test("a file that is missing or a folder has a clear error", async () => {
    const folder = temporaryFolder();
    await expect(readRecording(join(folder, "none"))).rejects.toThrow("cannot be read (ENOENT); pass a file");
    await expect(readRecording(folder)).rejects.toThrow("cannot be read (EISDIR)");
  });

  test("a last line that was cut off is ignored with a notice", async () => {
    const path = join(temporaryFolder(), "cut.jsonl");
    writeFileSync(path, `${head}\n${line}\n${line.slice(0, 60)}`);
    const { messages, notices } = await readRecording(path);
    expect(messages).toHaveLength(1);
    expect(notices).toEqual(["Line 3 was cut off and is ignored."]);
  });

  test("messages that are not valid and names of prototypes do no harm", async () => {
    const path = join(temporaryFolder(), "hostile.jsonl");
    const hostile = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    const place = '"connection":"__proto__","direction":"to-server"';
    const call = `{"jsonrpc":"2.0","id":"__proto__","method":"__proto__","params":${hostile}}`;
    writeFileSync(path, [head, `{${place},"message":1}`, `{${place},"message":${call}}`, `{${place}}`, ""].join("\n"));
    const { messages } = await readRecording(path);
    expect(messages).toEqual([expect.objectContaining({ line: 3, connection: "__proto__" })]);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });
});
