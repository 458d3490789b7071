import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCheck } from "../../../cli/commands/check.ts";
import { runInspect } from "../../../cli/commands/inspect.ts";
import { temporaryFolder } from "../../kit/temporary-folders.ts";
import { captured, client } from "../../kit/commands.ts";

/** Server that responds to `initialize` or `server/discover` with this member, and rejects all other methods. */
function serverOf(method: string, member: object): readonly string[] {
  const other = { error: { code: -32_601, message: "Method not found" } };
  const program = `
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      if (id === undefined) return;
      const member = method === ${JSON.stringify(method)} ? ${JSON.stringify(member)} : ${JSON.stringify(other)};
      console.log(JSON.stringify({ jsonrpc: "2.0", id, ...member }));
    });`;
  return [process.execPath, "-e", program];
}

const own = "2027-01-15";
const result = { protocolVersion: own, capabilities: {}, serverInfo: { name: "own", version: "1" } };
const data = { supported: [own, "\u001b[2J"], requested: "2025-11-25" };

const servers: readonly (readonly [response: string, server: readonly string[]])[] = [
  ["a result of initialize", serverOf("initialize", { result })],
  ["an error of initialize", serverOf("initialize", { error: { code: -32_602, message: "no", data } })],
  ["an error of server/discover", serverOf("server/discover", { error: { code: -32_022, message: "no", data } })],
];

const problem = /it supports 2027-01-15, which create-mcp-server [\d.]+ does not know/;
const advice = "use a version that knows it; for a revision of your own see: docs upgrade";

test("a server that offers a known revision as well is reported with its error", async () => {
  const offered = { supported: ["2025-11-25", own], requested: "2026-07-28" };
  const server = serverOf("server/discover", { error: { code: -32_022, message: "no", data: offered } });
  const { code, stdout } = await captured(() => runCheck({ target: server, format: "text", failOn: "error" }));
  expect([code, stdout]).toEqual([1, expect.stringContaining("it returned the error -32601, Method not found")]);
});

describe.each(servers)("a server whose revision is not known, with %s", (_response, server) => {
  test("`check` reports the revision, and advises no other timeout", async () => {
    const { code, stdout } = await captured(() => runCheck({ target: server, format: "text", failOn: "error" }));
    expect([code, stdout]).toEqual([1, expect.stringMatching(problem)]);
    expect(stdout).toContain(advice);
    expect(stdout).not.toContain("--timeout");
  });

  test("`client` reports the revision", async () => {
    const { code, stderr } = await client(server, { out: join(temporaryFolder(), "client") });
    expect([code, stderr]).toEqual([2, expect.stringMatching(problem)]);
    expect(stderr).toContain(`${advice}.\n`);
  });

  test("`inspect` reports the revision", async () => {
    const { code, stderr } = await captured(() => runInspect({ server, open: false, redact: [], force: false }));
    expect([code, stderr]).toEqual([2, expect.stringMatching(problem)]);
    expect(stderr).toContain(`${advice}.\n`);
  });
});
