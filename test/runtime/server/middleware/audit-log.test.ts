import { describe, expect, test } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import { auditLog, type AuditEntry, type AuditOptions } from "../../../../runtime/server/middleware/audit-log.ts";
import { ToolError } from "../../../../runtime/server/errors.ts";
import { redact, redactText } from "../../../../runtime/server/middleware/redact.ts";
import { requestLogger } from "../../../../runtime/server/middleware/request-logger.ts";
import { createServer, type Server } from "../../../../runtime/server/create-server.ts";
import type { Middleware } from "../../../../runtime/server/middleware/middleware.ts";
import { fromJsonSchema } from "../../../../runtime/server/json-schema.ts";
import { expectLinear } from "../../../kit/expect-linear.ts";
import { callServer } from "../../../kit/calls.ts";
import { newest } from "../../../kit/revisions.ts";

function create(middleware: Middleware): Server {
  const input = fromJsonSchema({ type: "object" }, { validate: () => [] });
  return createServer(
    {
      name: "test",
      version: "1",
      onError() {},
      middleware: [middleware],
      tools: [
        { name: "good", inputSchema: input, execute: () => "" },
        { name: "bad", execute: () => Promise.reject(new ToolError("no")) },
      ],
      resourceTemplates: [
        {
          uriTemplate: "db://{name}{?token}",
          name: "db",
          read: () => {
            throw new Error("password=hunter2");
          },
        },
      ],
    },
    revisions,
  );
}

async function send(server: Server, method: string, params: object): Promise<void> {
  const origin = { identity: { principal: "ada" } };
  await callServer(server, newest, [method, params], { origin }).catch(() => {});
}

describe("the request log", () => {
  test("the request log has one line of JSON for each request, without arguments and queries (R65, O-05)", async () => {
    const lines: string[] = [];
    const server = create(requestLogger({ write: (line) => lines.push(line) }));
    await send(server, "tools/list", {});
    await send(server, "tools/call", { name: "good", arguments: { password: "hunter2" } });
    await send(server, "tools/call", { name: "bad" });
    await send(server, "tools/call", { name: 'x"\n{"forged":true}' });
    await send(server, "resources/read", { uri: "db://a?token=hunter2" });
    const entries = lines.map((line): unknown => JSON.parse(line));
    expect(entries).toMatchObject([
      { method: "tools/list", outcome: "answered", id: 1 },
      { method: "tools/call", target: "good", outcome: "answered" },
      { method: "tools/call", target: "bad", outcome: "tool-error" },
      { method: "tools/call", target: 'x"\n{"forged":true}', outcome: "refused", code: -32602 },
      { method: "resources/read", target: "db://a?[redacted]", outcome: "failed", code: -32603 },
    ]);
    expect(lines.join("")).not.toMatch(/hunter2|\n/);
  });
});

describe("the request log of a cancelled call", () => {
  test("the request log of a cancelled call has the reason, on one line and without secrets (C-06, C-025, B-011)", async () => {
    const lines: string[] = [];
    const server = create(requestLogger({ write: (line) => lines.push(line) }));
    const stop = new AbortController();
    stop.abort(new DOMException('enough\n{"forged":true} Bearer abcdefghijkl', "AbortError"));
    const request = ["tools/call", { name: "good" }] as const;
    await expect(callServer(server, newest, request, { signal: stop.signal })).rejects.toBe(stop.signal.reason);
    await callServer(server, newest, request);
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { method: "tools/call", aborted: 'enough\n{"forged":true} [redacted]' },
      { method: "tools/call", outcome: "answered" },
    ]);
    expect(lines[0]).not.toContain("\n");
    expect(lines[1]).not.toContain("aborted");
  });
});

describe("the audit log", () => {
  async function audit(options: Omit<AuditOptions, "write">, method: string, params: object): Promise<AuditEntry[]> {
    const entries: AuditEntry[] = [];
    await send(create(auditLog({ ...options, write: (entry) => entries.push(entry) })), method, params);
    return entries;
  }

  test("the audit log records the principal, the tool and the outcome, and only the size of the arguments (TL-19, R65)", async () => {
    const [entry] = await audit({}, "tools/call", { name: "good", arguments: { secret: "hunter2" } });
    expect(entry).toMatchObject({
      principal: "ada",
      client: { name: "test", version: "1" },
      revision: newest.id,
      requestId: 1,
      method: "tools/call",
      target: "good",
      arguments: "20 characters",
      outcome: "answered",
    });
    expect(Date.parse(entry?.time ?? "")).toBeGreaterThan(0);
  });

  test("the audit log records arguments without secrets when configured (R65)", async () => {
    const args = { city: "Ulm", apiKey: "hunter2", nested: [{ password: "hunter2", note: "Bearer abcdefghijkl" }] };
    const [entry] = await audit({ arguments: "redacted" }, "tools/call", { name: "good", arguments: args });
    expect(entry?.arguments).toEqual({
      city: "Ulm",
      apiKey: "[redacted]",
      nested: [{ password: "[redacted]", note: "[redacted]" }],
    });
  });

  test("the audit log records only methods that run something by default", async () => {
    expect(await audit({}, "tools/list", {})).toEqual([]);
    expect(await audit({ methods: ["tools/list"] }, "tools/list", {})).toHaveLength(1);
    expect(await audit({}, "resources/read", { uri: "db://a?token=x" })).toMatchObject([
      { target: "db://a?[redacted]", outcome: "failed", code: -32603 },
    ]);
  });

  test("a request that cannot be audited fails", async () => {
    const server = create(auditLog({ write: () => Promise.reject(new Error("disk full")) }));
    const result = callServer(server, newest, ["tools/call", { name: "good" }]);
    await expect(result).rejects.toThrow("disk full");
  });
});

describe("an id of a million characters", () => {
  const requestId = "x".repeat(1_000_000);

  test("an id of a million characters is shortened in the request log", async () => {
    const lines: string[] = [];
    const server = create(requestLogger({ write: (line) => lines.push(line) }));
    await callServer(server, newest, ["tools/call", { name: "good" }], { requestId });
    expect(lines).toHaveLength(1);
    expect(lines[0]?.length).toBeLessThan(600);
    expect(lines[0]).toContain("[1000000 characters]");
  });

  test("an id of a million characters is shortened in the audit log", async () => {
    const entries: AuditEntry[] = [];
    const server = create(auditLog({ write: (entry) => entries.push(entry) }));
    await callServer(server, newest, ["tools/call", { name: "good" }], { requestId });
    expect(entries).toMatchObject([{ requestId: expect.stringMatching(/^x{256}\.\.\. \[1000000 characters\]$/) }]);
  });
});

describe("redacting", () => {
  test.each([
    ["authorization", { Authorization: "x" }, { Authorization: "[redacted]" }],
    ["an author", { author: "Ada" }, { author: "Ada" }],
    ["cookies", { "set-cookie": "x" }, { "set-cookie": "[redacted]" }],
    [
      "tokens",
      { refresh_token: "x", accessToken: { a: 1 } },
      { refresh_token: "[redacted]", accessToken: "[redacted]" },
    ],
    [
      "codes and verifiers",
      { code: "x", code_verifier: "y", codec: "z" },
      { code: "[redacted]", code_verifier: "[redacted]", codec: "z" },
    ],
    [
      "request state and sessions",
      { requestState: "x", sessionId: "y" },
      { requestState: "[redacted]", sessionId: "[redacted]" },
    ],
    ["other values", { a: 1, b: null, c: true }, { a: 1, b: null, c: true }],
    ["a list", ["a", { pin: 1 }], ["a", { pin: "[redacted]" }]],
    ["a name that is special", JSON.parse('{"__proto__": {"a": 1}}'), JSON.parse('{"__proto__": {"a": 1}}')],
  ])("redacting replaces %s", (_name, value, expected) => {
    expect(redact(value)).toEqual(expected);
  });

  test.each([
    ["a bearer token", "Authorization: Bearer abc.def-123", "Authorization: [redacted]"],
    ["a JSON web token", "it is eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl!", "it is [redacted]!"],
    ["a key of a service", "sk-abcdefghijklmnop1234", "[redacted]"],
    ["a private key", "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END", "[redacted]"],
    ["a query", "see https://a.example/b?c=d now", "see https://a.example/b?[redacted] now"],
    ["a password in a URL", "postgres://ada:hunter2@db/x", "postgres://[redacted]@db/x"],
    ["a password with an at sign", "postgres://ada:hunter@2@db/x?y", "postgres://[redacted]@db/x?[redacted]"],
    ["nothing", "plain text: is it?", "plain text: is it?"],
  ])("redacting replaces %s in a text", (_name, text, expected) => {
    expect(redactText(text)).toBe(expected);
  });

  test.each([
    ["a password in a URL", "https://ada:hunter2-and-more-of-it@db.example/x"],
    ["a key of a service", "sk-hunter2abcdefghijklmnopqrstuvwxyz"],
    ["a bearer token", "Bearer hunter2abcdefghijklmnopqrstuvwxyz"],
    ["a JSON web token", `eyJhbGciOiJIUzI1NiJ9.${"hunter2".repeat(100)}.c2lnbmF0dXJl`],
  ])("redacting hides %s wherever a long text is shortened", (_name, secret) => {
    for (let before = 190; before < 260; before += 1) {
      const text = `${"x".repeat(before)} ${secret} ${"and the rest ".repeat(20)}`;
      expect(redactText(text), String(before)).not.toMatch(/hun|Bearer h/);
      expect(redactText(text)).toContain(" characters]");
    }
  });

  test("redacting bounds the length of its result", () => {
    let deep: unknown = "x";
    for (let i = 0; i < 100; i++) deep = { a: [deep] };
    const wide = Object.fromEntries(
      Array.from({ length: 10_000 }, (_value, index) => [`a${index}`, "x".repeat(10_000)]),
    );
    expect(JSON.stringify(redact(deep)).length).toBeLessThan(200);
    expect(JSON.stringify(redact(wide)).length).toBeLessThan(20_000);
    expect(JSON.stringify(redact(Array.from({ length: 100_000 }, () => "x"))).length).toBeLessThan(1_000);
    expect(redactText("x".repeat(300))).toBe(`${"x".repeat(256)}... [300 characters]`);
  });

  test.each(["a:", "aa", "eyJ"])("redacting takes linear time for hostile texts of %j", (part) => {
    expectLinear(50_000, (count) => redactText(part.repeat(count)));
  });
});
