import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { connect, copyProject, hosts, program, run } from "./journey.ts";

const project = copyProject("record");
const recording = join(project, "session.jsonl");
const server = join(project, "dist", "server.js");
const gateway = [
  program,
  "gateway",
  "--stdio",
  "--protocol",
  "2025-11-25",
  "--record",
  recording,
  "--",
  "node",
  server,
];
const [host = expect.unreachable("there is no host")] = hosts;

test("a gateway records what a host does at 2025-11-25", async () => {
  const client = await connect(host, { kind: "stdio", command: process.execPath, args: gateway });
  expect(client.revision).toBe("2025-11-25");
  await client.listTools();
  await client.listResources();
  await client.listPrompts();
  const result = await client.call("measure_text", { text: "Hello, world" });
  expect(result).toMatchObject({ structuredContent: { words: 2, characters: 12 } });
  expect(JSON.stringify(await client.call("greet"))).toContain("Hello, me!");
  await client.readResource({ uri: "guide://style" });
  await client.getPrompt({ name: "shorten", arguments: { text: "A long text" } });
  await client.close();
  expect(readFileSync(recording, "utf8")).toContain('"protocol":"2025-11-25"');
});

test.each(hosts)("a gateway that $name starts again records to a file of its own", async (each) => {
  const before = listRecordings();
  for (const _start of ["second", "third"]) {
    const client = await connect(each, { kind: "stdio", command: process.execPath, args: gateway });
    await client.call("measure_text", { text: "Hello, again" });
    await client.close();
  }
  const added = listRecordings().filter(([name]) => !before.some(([known]) => known === name));
  expect(added.filter(([, text]) => text.includes("Hello, again"))).toHaveLength(2);
  expect(listRecordings()).toEqual(expect.arrayContaining([...before]));
});

/** Names and contents of the recordings. */
function listRecordings(): readonly (readonly [name: string, text: string])[] {
  const names = readdirSync(project).filter((name) => /^session.*\.jsonl$/.test(name));
  return names.map((name) => [name, readFileSync(join(project, name), "utf8")]);
}

test.each(["2025-11-25", "2026-07-28"])(
  "the recording is a test that the same server passes at %s",
  async (revision) => {
    const line = `npx create-mcp-server replay session.jsonl --against dist/server.js --protocol ${revision}`;
    expect(await run(project, line)).toMatch(/[1-9]\d* responses compared\./);
  },
);

test("the recording is a test that another server fails", async () => {
  const line = "npx create-mcp-server replay session.jsonl --against other.js";
  const text = readFileSync(server, "utf8");
  writeFileSync(join(project, "other.js"), text.replace(/characters: \w+\.length \}/, "characters: 1 }"));
  expect(await run(project, line, 1)).toMatch(/risky +tools\/call measure_text/);
});

describe.each(hosts)("$name", (each) => {
  test("gets the recorded responses from a mock", async () => {
    const client = await connect(each, {
      kind: "stdio",
      command: process.execPath,
      args: [program, "replay", recording],
    });
    expect(client.revision).toBe(each.revision);
    expect(await client.call("measure_text", { text: "Hello, world" })).toMatchObject({
      structuredContent: { words: 2, characters: 12 },
    });
  });
});

test("the recording is the source of a typed client, which compiles", async () => {
  const printed = await run(project, "npx create-mcp-server client --from session.jsonl --out src/recorded-client");
  expect(printed).toMatch(/^src\/recorded-client: 2 tools, 1 prompt/m);
  expect(existsSync(join(project, "src", "recorded-client", "index.ts"))).toBe(true);
  await run(project, "npm run typecheck");
});
