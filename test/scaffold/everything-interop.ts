import { createMcpHandler } from "@modelcontextprotocol/server";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type * as Mcp from "../../examples/everything/mcp/index.ts";
import type { Declarations } from "../../generated/2025-11-25/index.ts";
import type { Client } from "../../runtime/client/create-client.ts";
import type { ClientSession } from "../../runtime/client/session/client-session.ts";
import { exerciseEverything, exerciseNotifications } from "../interop/sdk1/exercise-everything.ts";
import { exerciseSdk2, type Received } from "../interop/sdk2/exercise.ts";
import { connectV1, connectV2, type OfficialClient, type Place } from "../kit/official-clients.ts";
import { importOlderSdk, olderSdks } from "../interop/older-sdks/sdk.ts";
import { serveSdk } from "../interop/sdk1/http-server.ts";
import { createSdk2Server, serveFetch, serveSdk2 } from "../interop/sdk2/server.ts";
import { createProgram } from "../kit/programs.ts";
import { readAddress, start } from "../wire/process.ts";
import { revisionIds } from "../wire/script.ts";
import { createEverythingProject, type EverythingProject } from "./everything-project.ts";
import { text } from "../kit/messages.ts";

const handshakeIds = revisionIds.filter((id) => id !== "2026-07-28");
const kinds = ["stdio", "HTTP"] as const;
type Kind = (typeof kinds)[number];

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Official SDKs of every age use the server of a project, and the client of a project uses their servers. */
export function testInterop(open: () => EverythingProject): void {
  testServer(open);
  testClient(open);
}

function testServer(open: () => EverythingProject): void {
  const clients = [
    ["first", connectV1],
    ["second", connectV2],
  ] as const;

  // Smaller projects serve both clients at every revision, in the matrix.
  describe.each(["2024-11-05", "2025-11-25"] as const)("a server for %s", (id) => {
    let project: EverythingProject | undefined;
    beforeAll(async () => {
      project = await createEverythingProject(`${open().folder}-${id}`, { protocol: id });
    });

    describe.each(clients)("the official client of the %s generation", (_generation, connect) => {
      test.each(kinds)("a scaffolded server serves the official client over %s", async (kind) => {
        const client = await keep(connect(await find(kind, project?.server)));
        await exerciseEverything(client, id);
        await exerciseNotifications(client);
      });
    });
  });

  describe("a server for all revisions", () => {
    test.each(kinds)(
      "a scaffolded server agrees with official clients on the newest common revision over %s",
      async (kind) => {
        const place = await find(kind, open().server);
        await exerciseEverything(await keep(connectV1(place)), "2025-11-25");
        await exerciseEverything(await keep(connectV2(place)), "2025-11-25");
        await exerciseEverything(await keep(connectV2(place, "auto")), "2026-07-28");
      },
    );

    test.each(olderSdks)("a scaffolded server serves the client of the official SDK %s over stdio", async (version) => {
      const sdk = await importOlderSdk(version);
      const client = new sdk.Client({ name: "older", version: "1" }, { capabilities: {} });
      const command = { command: process.execPath, args: [open().server], stderr: "ignore" };
      await client.connect(new sdk.StdioClientTransport(command));
      closers.push(() => client.close());
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain("greet");
      const greeted = await client.callTool({ name: "greet", arguments: { name: "you" } });
      expect(greeted).toMatchObject({ content: [{ type: "text", text: "Hello, you!" }] });
      const read = await client.readResource({ uri: "test://static-text" });
      expect(read).toMatchObject({ contents: [{ mimeType: "text/plain" }] });
    });
  });
}

function testClient(open: () => EverythingProject): void {
  describe.each(handshakeIds)("the scaffolded client at %s", (id) => {
    test.each(kinds)("a scaffolded client uses the official server of the second generation over %s", async (kind) => {
      const mcp = await load(open());
      const received: Received = { levels: [], lists: [] };
      const session = await connect(mcp, await findSdk2(mcp, kind), { id, received });
      expect(session.revision.id).toBe(id);
      const canElicit = "elicitation/create" in session.revision.serverRequests;
      await exerciseSdk2(session, { canElicit, received });
    });

    test("a scaffolded client uses the official server of the first generation over HTTP", async () => {
      const server = await serveSdk();
      closers.push(() => server.close());
      const mcp = await load(open());
      const session = await connect(mcp, (options) => mcp.connectHttp(server.url, options), { id });
      expect(session.revision.id).toBe(id);
      expect(await session.callTool("echo", { text: "hello" })).toMatchObject(text("hello"));
      expect(await session.callTool("sample")).toMatchObject(text("42"));
    });
  });

  test("a scaffolded client uses the official server of the second generation without sessions", async () => {
    const handler = createMcpHandler(() => createSdk2Server());
    const server = await serveFetch((request) => handler.fetch(request));
    closers.push(() => server.close());
    const mcp = await load(open());
    const session = await connect(mcp, (options) => mcp.connectHttp(server.url, options));
    expect(session.revision.id).toBe("2026-07-28");
    expect((await session.listTools()).map(({ name }) => name)).toContain("echo");
    expect(await session.callTool("sum", { a: 1, b: 2 })).toMatchObject({ structuredContent: { sum: 3 } });
    expect(await session.readResource("test://a")).toMatchObject({ contents: [{ text: "text of a" }] });
    const seen: number[] = [];
    await session.callTool("progress", {}, { onProgress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1, 2, 3]);
  });

  test.each(olderSdks)("a scaffolded client uses the server of the official SDK %s over stdio", async (version) => {
    const mcp = await load(open());
    const command = { command: process.execPath, args: [older, version], stderr: "ignore" } as const;
    const session = await connect(mcp, (options) => mcp.connectStdio(command, options));
    expect(await session.listTools()).toMatchObject([{ name: "echo" }]);
    expect(await session.callTool("echo", { text: "hello" })).toMatchObject(text("hello"));
    expect(session.revision.id).toBe(version === "1.17" ? "2025-06-18" : "2024-11-05");
  });
}

const older = await createProgram(new URL("../interop/older-sdks/server.ts", import.meta.url));
const sdk2 = await createProgram(new URL("../interop/sdk2/stdio-server.ts", import.meta.url));

/** Returns the address of the server of a project. */
async function find(kind: Kind, server = ""): Promise<Place> {
  if (kind === "stdio") return { kind: "stdio", command: process.execPath, args: [server] };
  const program = start([server, "--http", "0"]);
  closers.push(() => program.end());
  return { kind: "http", url: await readAddress(program) };
}

async function keep(connecting: Promise<OfficialClient>): Promise<OfficialClient> {
  const client = await connecting;
  closers.push(() => client.close());
  return client;
}

/** Names that the project imports from ./mcp/index.ts. Its sessions here are those of a handshake, which have functions of their own. */
interface Layer extends Pick<typeof Mcp, "connectHttp" | "connectStdio" | "revisions"> {
  createClient(options: Mcp.ClientOptions): Client<Declarations>;
}

/** Loads it as the project has bundled it. */
async function load({ mcp }: EverythingProject): Promise<Layer> {
  return import(mcp);
}

type Session = ClientSession<Declarations>;
type Source = Parameters<Client<Declarations>["connect"]>[0];

async function findSdk2({ connectStdio, connectHttp }: Layer, kind: Kind): Promise<Source> {
  const command = { command: process.execPath, args: [sdk2], stderr: "ignore" } as const;
  if (kind === "stdio") return (options) => connectStdio(command, options);
  const server = await serveSdk2();
  closers.push(() => server.close());
  return (options) => connectHttp(server.url, options);
}

interface Joining {
  /** Default: all revisions of the project. */
  readonly id?: string;
  readonly received?: Received;
}

async function connect(mcp: Layer, source: Source, { id, received }: Joining = {}): Promise<Session> {
  const client = mcp.createClient({
    info: { name: "ours", version: "1" },
    ...(id !== undefined && { revisions: mcp.revisions.filter((revision) => revision.id === id) }),
    sampling: { createMessage: () => ({ role: "assistant", model: "m", content: { type: "text", text: "42" } }) },
    elicitation: { form: () => ({ action: "accept" }) },
    onLog: ({ level }) => received?.levels.push(level),
    onListChanged: (list) => received?.lists.push(list),
  });
  closers.push(() => client.close());
  return client.connect(source);
}
