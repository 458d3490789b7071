import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Declarations } from "../../../generated/2025-11-25/index.ts";
import { createAjvValidator } from "../../../runtime/adapters/ajv.ts";
import { connect } from "../../../runtime/client/connect.ts";
import { connectClient } from "../../../runtime/client/create-client.ts";
import type { Connectable } from "../../../runtime/client/connection-factory.ts";
import type { ClientSession } from "../../../runtime/client/session/client-session.ts";
import { createStdioClientTransport } from "../../../runtime/transport/stdio/stdio-client.ts";
import { createHttpClientTransport } from "../../../runtime/transport/http-client/http-client.ts";
import { createSseClientTransport } from "../../../runtime/transport/http-sse/http-sse-client.ts";
import { handshakeRevisions, newest } from "../../kit/revisions.ts";
import type { Revision } from "../../../generated/support.ts";

const script = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));
const open: ClientSession<Declarations>[] = [];

afterEach(async () => {
  for (const session of open.splice(0)) await session.close();
});

const requested: string[] = [];
const logged: string[] = [];

const onStdio: Connectable = (opening) => {
  const args = [script, "stdio"];
  // It does not heed the end of stdin.
  const shutdown = { terminate: 100 };
  return connect(createStdioClientTransport({ command: process.execPath, args, stderr: "ignore", shutdown }), opening);
};

/** Our client of the reference server, which offers everything and is told of everything. */
async function join(revision: Revision, source = onStdio): Promise<ClientSession<Declarations>> {
  requested.length = 0;
  logged.length = 0;
  const session = await connectClient<Declarations>(source, {
    info: { name: "ours", version: "1" },
    revisions: [revision],
    validator: createAjvValidator(),
    roots: [{ uri: "file:///home", name: "Home" }],
    sampling: {
      createMessage({ messages }) {
        requested.push(`sampling of ${messages.length}`);
        return { role: "assistant", model: "m", content: { type: "text", text: "42" } };
      },
    },
    elicitation: {
      form() {
        requested.push("form");
        return { action: "accept", content: { name: "me", check: true } };
      },
      url() {
        requested.push("page");
        return { action: "decline" };
      },
    },
    onLog: ({ level }) => logged.push(level),
  });
  open.push(session);
  return session;
}

/** Every tool that needs nothing from outside, and what its result says. */
const calls: readonly (readonly [tool: string, args: object, says: RegExp])[] = [
  ["echo", { message: "ä€😀" }, /Echo: ä€😀/],
  ["get-annotated-message", { messageType: "error", includeImage: true }, /Error/],
  ["get-env", {}, /PATH/],
  ["get-resource-links", { count: 4 }, /resource_link.*resource_link/],
  ["get-resource-reference", { resourceType: "Text", resourceId: 3 }, /"resource"/],
  ["get-roots-list", {}, /file:\/\/\/home/],
  ["get-structured-content", { location: "Chicago" }, /temperature/],
  ["get-sum", { a: 2, b: 3 }, /\b5\b/],
  ["get-tiny-image", {}, /image\/png/],
  ["gzip-file-as-resource", { name: "a.gz", data: "data:text/plain,hello", outputType: "resource" }, /gzip/],
  ["toggle-simulated-logging", {}, /Started/],
  ["toggle-subscriber-updates", {}, /Started/],
  ["trigger-long-running-operation", { duration: 0.2, steps: 4 }, /completed/],
  ["trigger-sampling-request", { prompt: "6 * 7?", maxTokens: 5 }, /42/],
];

/** Calls every tool that needs nothing from outside. */
async function callAll(session: ClientSession<Declarations>): Promise<void> {
  expect(session.serverInfo.name).toBe("mcp-servers/everything");
  await session.ping();
  // The tools that ask the client appear once the server has digested the end of the handshake.
  await expect.poll(() => listNames(session)).toEqual(expect.arrayContaining(calls.map(([name]) => name)));
  for (const [name, args, says] of calls) {
    if (name === "get-resource-links" && session.revision.id < "2025-06-18") {
      // It sends a block that these revisions do not know.
      await expect(session.callTool(name, args)).rejects.toMatchObject({ name: "InvalidMessageError" });
      continue;
    }
    const result = await session.callTool(name, args);
    expect(result.isError, name).not.toBe(true);
    expect(JSON.stringify(result), name).toMatch(says);
  }
  expect(requested).toEqual(["sampling of 1"]);
}

/** Has the server tell of a resource and log, both without being asked at that moment. */
async function receive(session: ClientSession<Declarations>): Promise<void> {
  const [first] = await session.listResources();
  const uri = first?.uri ?? "";
  const told = new Promise<void>((resolve) => void session.subscribe(uri, () => resolve()));
  await session.setLogLevel("debug");
  await session.callTool("toggle-subscriber-updates");
  await session.callTool("toggle-simulated-logging");
  await told;
  await expect.poll(() => logged.length).toBeGreaterThan(0);
  await session.callTool("toggle-subscriber-updates");
  await session.callTool("toggle-simulated-logging");
}

describe.each(handshakeRevisions)("the reference server at $id", (revision) => {
  test("every tool without external resources responds to our client", async () => {
    await callAll(await join(revision));
  });

  test("every resource is read, every prompt returned, and arguments completed", async () => {
    const session = await join(revision);
    const resources = await session.listResources();
    expect(resources.length).toBeGreaterThan(3);
    for (const { uri } of resources) expect((await session.readResource(uri)).contents.length).toBeGreaterThan(0);
    const templates = await session.listResourceTemplates();
    for (const { uriTemplate } of templates) {
      const { contents } = await session.readResource(uriTemplate.replace(/\{\w+\}/, "2"));
      expect(contents).toHaveLength(1);
    }
    for (const { name, arguments: given = [] } of await session.listPrompts()) {
      const args = given.map((argument): [string, string] => [argument.name, sample(argument.name)]);
      expect((await session.getPrompt(name, Object.fromEntries(args))).messages.length, name).toBeGreaterThan(0);
    }
    const ref = { type: "ref/prompt", name: "completable-prompt" } as const;
    const { values } = await session.complete({ ref, argument: { name: "department", value: "E" } });
    expect(values).toContain("Engineering");
  });

  test("our client subscribes, and sets the log level", async () => {
    await receive(await join(revision));
  });
});

/** Has the reference server listen on loopback, at a port that is free, and say at which. */
const listenHere = `data:text/javascript,${encodeURIComponent(`
  import { Server } from "node:net";
  const { listen } = Server.prototype;
  Server.prototype.listen = function (_port, then) {
    return listen.call(this, 0, "127.0.0.1", () => (console.error("port " + this.address().port), then?.()));
  };
`)}`;

// Streamable HTTP came with the second revision.
const transports = [
  ["Streamable HTTP", "streamableHttp", "/mcp", createHttpClientTransport, handshakeRevisions.slice(0, -1)],
  ["HTTP with SSE", "sse", "/sse", createSseClientTransport, handshakeRevisions],
] as const;

describe.each(transports)("the reference server over %s", (_name, kind, path, createTransport, spoken) => {
  let server: ChildProcess | undefined;
  let port = "";

  beforeAll(async () => {
    const child = spawn(process.execPath, ["--import", listenHere, script, kind], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    server = child;
    const lines = createInterface({ input: child.stderr });
    port = await new Promise<string>((resolve) => {
      lines.on("line", (line) => line.startsWith("port ") && resolve(line.slice(5)));
    });
  });

  afterAll(() => server?.kill("SIGKILL"));

  test.each(spoken.map((revision) => [revision.id, revision] as const))(
    "the reference server serves, requests and notifies our client at %s",
    async (_id, revision) => {
      const url = `http://127.0.0.1:${port}${path}`;
      const source: Connectable = (opening) => connect(createTransport(url), opening);
      await callAll(await join(revision, source));
      const session = await join(revision, source);
      expect(session.revision).toBe(revision);
      await receive(session);
    },
  );
});

test("the reference server requests a form of our client (E-01)", async () => {
  const session = await join(newest);
  await expect.poll(() => listNames(session)).toContain("trigger-elicitation-request");
  expect(JSON.stringify(await session.callTool("trigger-elicitation-request"))).toContain("Name: me");
  expect(requested).toEqual(["form"]);
});

test("the reference server's rejections are errors of the peer, and the session continues", async () => {
  const session = await join(newest);
  await expect(session.readResource("demo://nothing")).rejects.toMatchObject({ name: "PeerError" });
  await expect(session.getPrompt("nothing")).rejects.toMatchObject({ name: "PeerError", code: -32602 });
  expect(await session.callTool("get-sum", { a: "two" })).toMatchObject({ isError: true });
  await session.ping();
});

async function listNames(session: ClientSession<Declarations>): Promise<readonly string[]> {
  return (await session.listTools()).map(({ name }) => name);
}

function sample(argument: string): string {
  const samples: Readonly<Record<string, string>> = {
    resourceType: "Text",
    resourceId: "1",
    department: "Engineering",
    name: "Alice",
  };
  return samples[argument] ?? "x";
}
