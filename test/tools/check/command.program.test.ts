import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { emitJson } from "../../../tools/check/report/json.ts";
import { emitJunit } from "../../../tools/check/report/junit.ts";
import { emitSarif } from "../../../tools/check/report/sarif.ts";
import { emitText } from "../../../tools/check/report/text.ts";
import type { CheckReport } from "../../../tools/check/finding.ts";
import { toResult } from "../../../tools/check/probes/probe.ts";
import { runCheck, type CheckCommandOptions } from "../../../cli/commands/check.ts";
import { captured, type CommandResult } from "../../kit/commands.ts";
import { temporaryFolder } from "../../kit/temporary-folders.ts";
import { serveRaw } from "../../kit/raw-server.ts";

/** An address where nobody listens. */
async function findDeadAddress(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/mcp`;
}

const dead = await findDeadAddress();

const evil = '<script>&"\u0000\u001b[31m]]>\n::error::';

const report: CheckReport = {
  target: "https://example.org/mcp",
  server: { name: evil, version: "1" },
  revisions: ["2025-11-25"],
  results: [
    { rule: { id: "fine", title: "All is well", severity: "error" }, revision: "2025-11-25", findings: [] },
    {
      rule: { id: "bad", title: evil, severity: "error", help: "https://example.org/bad" },
      revision: "2025-11-25",
      findings: [{ rule: "bad", severity: "error", subject: evil, message: evil, fix: "mend it" }],
    },
    {
      rule: { id: "odd", title: "Odd", severity: "note" },
      revision: "",
      findings: [{ rule: "odd", severity: "note", subject: "a", message: "b", fix: "c" }],
    },
  ],
};

function check(target: readonly string[], options: Partial<CheckCommandOptions> = {}): Promise<CommandResult> {
  return captured(() => runCheck({ format: "text", failOn: "error", target, ...options }));
}

describe("reports of `check`", () => {
  test("a report as text has two lines per finding, even when the text of a server has line breaks", () => {
    const lines = emitText(report).split("\n");
    expect(lines).toHaveLength(6);
    expect(lines.join("")).not.toMatch(/[\u0000-\u0009\u001b]/);
    expect(lines.at(-1)).toBe("3 checks: 1 error, 0 warnings, 1 note.");
  });

  test("a report as JSON contains the findings and all checks", () => {
    expect(JSON.parse(emitJson(report))).toMatchObject({
      format: 1,
      findings: [{ rule: "bad", message: evil }, { rule: "odd" }],
      checks: [
        { rule: "fine", passed: true },
        { rule: "bad", passed: false },
        { rule: "odd", passed: false },
      ],
    });
  });

  test("a finding about a name of megabytes is short in every report", () => {
    const rule = { id: "a", title: "A", severity: "error" } as const;
    const text = "x".repeat(1_000_000);
    const results = [toResult(rule, [{ subject: text, message: text, fix: text }])];
    const long = { ...report, results };
    for (const written of [emitText(long), emitJson(long), emitJunit(long), emitSarif(long, "1")])
      expect(written.length).toBeLessThan(20_000);
  });

  test("a report as text merges equal findings of several tools or several revisions", () => {
    const about = (subject: string) => ({ rule: "r", severity: "warning" as const, subject, message: "m", fix: "f" });
    const rule = { id: "r", title: "R", severity: "warning" } as const;
    const text = emitText({
      ...report,
      results: [
        { rule, revision: "2025-11-25", findings: [about("ping")] },
        { rule, revision: "2025-06-18", findings: [about("ping")] },
        { rule, revision: "", findings: ["a", "b", "c", "d", "e", "f"].map((name) => about(`tool ${name}`)) },
      ],
    });
    expect(text.split("\n").slice(1)).toEqual([
      "warning  ping: m",
      "         f [r, 2025-11-25, 2025-06-18]",
      "warning  tool a, tool b, tool c, tool d and 2 more: m",
      "         f [r]",
      "3 checks: 0 errors, 8 warnings, 0 notes.",
    ]);
  });

  test("a report as JUnit is well-formed, and notes are not failures", () => {
    const xml = emitJunit(report);
    expect(xml).toContain('tests="3" failures="1"');
    expect(xml).not.toMatch(/<script>|[\u0000\u001b]/);
    expect(xml.match(/<testcase /g)).toHaveLength(3);
    expect(xml.replaceAll(/&(amp|lt|gt|quot|#\d+);/g, "")).not.toContain("&");
  });

  test("a report as SARIF contains rule, level and advice", () => {
    const { version, runs } = JSON.parse(emitSarif(report, "1.2.3"));
    expect(version).toBe("2.1.0");
    expect(runs[0].tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(["fine", "bad", "odd"]);
    expect(runs[0].results[0]).toMatchObject({ ruleId: "bad", ruleIndex: 1, level: "error" });
    expect(runs[0].results[0].message.text).toMatch(/mend it\.$/);
  });

  test.each([
    ["dist/server.js", "dist/server.js"],
    ["./dist/server.mjs", "dist/server.mjs"],
    [".\\dist\\server.js", "dist/server.js"],
    ["C:\\demo\\server.js", "package.json"],
    ["https://example.org/mcp", "package.json"],
    ["/home/me/server.js", "package.json"],
    ["../server.js", "package.json"],
    ["npx some-server", "package.json"],
  ])("a report as SARIF of %s places each finding in a file of the repository, for code scanning", (target, uri) => {
    const { runs } = JSON.parse(emitSarif({ ...report, target }, "1.2.3"));
    const places = runs[0].results.map(({ locations: [place] }: { locations: { physicalLocation: unknown }[] }) => {
      return place?.physicalLocation;
    });
    expect(places.length).toBeGreaterThan(1);
    for (const place of places) expect(place).toEqual({ artifactLocation: { uri }, region: { startLine: 1 } });
    const hashes = runs[0].results.map(
      (result: { partialFingerprints: { primaryLocationLineHash: string } }) =>
        result.partialFingerprints.primaryLocationLineHash,
    );
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});

describe("create-mcp-server check", () => {
  const responder = `
    const send = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...result }) + "\\n");
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      let message;
      try { message = JSON.parse(line); } catch { return; }
      const { id, method } = message;
      if (method === "initialize") send(id, { result: { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "tiny", version: "1" } } });
      else if (method === "ping") send(id, { result: {} });
      else if (id !== undefined) send(id, { error: { code: -32601, message: "not here" } });
    });`;

  test("`check` passes a small and correct server, and writes the report to the `--output` file", async () => {
    const output = join(temporaryFolder(), "report.json");
    const options = { protocol: "2025-11-25", format: "json", output } as const;
    expect(await check([process.execPath, "-e", responder], options)).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(JSON.parse(readFileSync(output, "utf8"))).toMatchObject({ server: { name: "tiny" }, findings: [] });
  });

  test.each<[string, readonly string[], RegExp, timeout?: number]>([
    [
      "a program that exits",
      [process.execPath, "-e", 'console.error("reading\\nno DATABASE_URL"); process.exitCode = 3'],
      /known revision: it exited with code 3, last output: no DATABASE_URL\n/,
    ],
    ["a program that exits before it reads", ["sh", "-c", "exit 4"], /: it exited with code 4\n/],
    [
      "a program that writes its log to stdout",
      [process.execPath, "-e", 'console.log("listening"); setTimeout(() => {}, 1e6)'],
      /: no response in time; it sent "listening", which is not a JSON-RPC message\n +send only messages/,
      5,
    ],
    ["a program without output", [process.execPath, "-e", "setTimeout(() => {}, 1e6)"], /: no response in time\n/, 1],
    ["an address without a listener", [dead], /: connect ECONNREFUSED .*\n/],
  ])("`check` reports the reason when the connection fails: %s", async (_what, target, message, timeout = 60) => {
    const { code, stdout } = await check(target, { timeout, protocol: "2025-11-25" });
    expect(stdout).toMatch(message);
    expect(code).toBe(1);
  });

  test.each<[number, RegExp]>([
    [
      200,
      / HTTP 200 without a response; it sent "<p>hello", which is not a JSON-RPC message\n +check the address; its path is /,
    ],
    [401, / HTTP 401: <p>hello\n +send credentials with --header-env Name=VARIABLE/],
    [403, / HTTP 403: <p>hello\n +check which host names and clients the server permits/],
    [404, / HTTP 404: <p>hello\n +check the address; its path is often \/mcp/],
    [500, / HTTP 500: <p>hello\n +look for the cause in the log of the server/],
  ])("`check` of an address that returns %i to every request proposes the next step", async (status, message) => {
    const site = await serveRaw((_request, response) => response.writeHead(status).end("<p>hello"));
    onTestFinished(() => site.close());
    const { code, stdout } = await check([`${site.origin}/`], { timeout: 60 });
    expect(stdout).toMatch(message);
    expect(code).toBe(1);
  });

  test.each<[name: string, respond: (response: ServerResponse) => void, message: RegExp, timeout?: number]>([
    [
      "that requires credentials with 403",
      (response) => response.writeHead(403, { "www-authenticate": "Bearer" }).end(),
      / HTTP 403\n +send credentials with --header-env/,
    ],
    [
      "that redirects",
      (response) => response.writeHead(307, { location: "https://example.org/mcp" }).end(),
      / HTTP 307 to https:\/\/example\.org\/mcp\n +use the address that it redirects to/,
    ],
    [
      "whose stream stalls",
      (response) => response.writeHead(200, { "content-type": "text/event-stream" }).write(": wait\n\n"),
      / HTTP 200: no response within 1 s\n +check that it starts/,
      1,
    ],
    [
      "whose event is longer than the client accepts",
      (response) =>
        response
          .writeHead(200, { "content-type": "text/event-stream" })
          .end(`data: ${"x".repeat(17 * 1024 * 1024)}\n\n`),
      / HTTP 200: The event is longer than \d+ bytes\n +check that it starts/,
    ],
    [
      "whose body has control sequences",
      (response) => response.writeHead(404).end("a\u001b[31mb"),
      / HTTP 404: a\[31mb\n/,
    ],
  ])("`check` explains the response of a server %s", async (_name, respond, message, timeout = 60) => {
    const site = await serveRaw((_request, response) => respond(response));
    onTestFinished(() => site.close());
    const { code, stdout } = await check([site.url], { timeout, protocol: "2025-11-25" });
    expect(stdout).toMatch(message);
    expect(code).toBe(1);
  });

  test.each([401, 403])(
    "`check` of a server that rejects credentials with %i proposes to check them",
    async (status) => {
      const site = await serveRaw((_request, response) =>
        response.writeHead(status, { "www-authenticate": "Bearer" }).end(),
      );
      onTestFinished(() => site.close());
      const { stdout } = await check([site.url], { timeout: 60, header: ["Authorization: Bearer abc"] });
      expect(stdout).toMatch(/ HTTP \d+\n +check the value of the credentials that were sent, and what they permit/);
    },
  );

  test("`check` reports a server that exits during the session with the reason", async () => {
    const exiting = `${responder} console.error("no database"); let count = 0;
      require("node:readline").createInterface({ input: process.stdin }).on("line", () => { if (++count === 8) process.exit(4); });`;
    const options = { timeout: 60, protocol: "2025-11-25", format: "json" } as const;
    const { code, stdout } = await check([process.execPath, "-e", exiting], options);
    expect(code).toBe(1);
    const { findings }: { findings: readonly { message: string }[] } = JSON.parse(stdout);
    expect(findings.map(({ message }) => message).join("\n")).toMatch(/exited with code 4, last output: no database/);
    // Each of the three sessions fails one rule, or two in a row.
    expect(findings.length).toBeLessThanOrEqual(6);
  });

  test("`check` gives up on a program that responds to nothing before it has tried every revision", async () => {
    const starts = join(temporaryFolder(), "starts.txt");
    const program = `fs.appendFileSync(${JSON.stringify(starts)}, "+"); process.stdin.resume()`;
    const { code, stdout } = await check([process.execPath, "-e", program], { timeout: 1 });
    expect(stdout).toContain("it supports no known revision: no response in time");
    expect(code).toBe(1);
    expect(readFileSync(starts, "utf8")).toBe("+++");
  });

  test.each<[string, readonly string[], Partial<CheckCommandOptions>, RegExp]>([
    ["no server", [], {}, /no server is given/],
    [
      "a file",
      [join(import.meta.dirname, "..", "..", "..", "package.json")],
      {},
      /is a file, not a server; pass a command/,
    ],
    ["a missing file", ["absent.json"], {}, /absent\.json does not exist/],
    ["an unknown revision", ["http://127.0.0.1:9/"], { protocol: "1999-01-01" }, /unknown revision/],
    ["an unknown protocol", ["ftp://127.0.0.1:9/"], {}, /is not the address of a server/],
    ["a missing program", ["no-such-program-anywhere"], {}, /cannot be started/],
    [
      "HTTP with SSE at a revision without sessions",
      ["http://127.0.0.1:9/sse"],
      { sse: true, protocol: "2026-07-28" },
      /--sse needs a revision with sessions/,
    ],
    [
      "an address with a password",
      ["http://user:secret@127.0.0.1:9/mcp"],
      {},
      /^create-mcp-server: http:\/\/127\.0\.0\.1:9\/mcp has a user name or password; send them with --header-env/,
    ],
    ["a malformed header", ["http://127.0.0.1:9/"], { header: ["x"] }, /--header is malformed/],
  ])("`check` rejects %s with a reason", async (_what, target, options, message) => {
    const { code, stderr } = await check(target, options);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n +at /);
    expect(code).toBe(2);
  });
});

test("a program that `check` has started ends when `check` is interrupted, even when it ignores its input", async () => {
  const here = createServer().listen(0, "127.0.0.1");
  await once(here, "listening");
  const address = here.address();
  const code = `require("node:net").connect(${typeof address === "object" ? address?.port : ""}, "127.0.0.1")`;
  const program = join(import.meta.dirname, "..", "..", "..", "dist", "bundle", "generator", "cli.js");
  const cli = spawn(process.execPath, [program, "check", "--", process.execPath, "-e", code], { stdio: "ignore" });
  const ended = once(cli, "exit");
  const socket: Socket = (await once(here, "connection"))[0];
  const gone = once(
    socket.resume().on("error", () => {}),
    "close",
  );
  cli.kill("SIGINT");
  expect(await ended).toEqual([130, null]);
  await gone;
  here.close();
});
