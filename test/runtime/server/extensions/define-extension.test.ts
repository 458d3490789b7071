import { afterEach, describe, expect, test } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import type { Extension, Revision } from "../../../../generated/support.ts";
import { connect } from "../../../../runtime/client/connect.ts";
import { connectHttp } from "../../../../runtime/client/connect-http.ts";
import type { ConnectionFactory } from "../../../../runtime/client/connection-factory.ts";
import { createUntypedClient } from "../../../../runtime/client/create-client.ts";
import type { DefaultClientSession } from "../../../../runtime/client/session/default-session.ts";
import { defineExtension } from "../../../../runtime/server/extensions/define-extension.ts";
import { createGateway } from "../../../../runtime/gateway/gateway.ts";
import { serveGatewayHttp } from "../../../../runtime/gateway/serve.ts";
import type { ErrorReport } from "../../../../runtime/jsonrpc/error-report.ts";
import type { MessageMiddleware } from "../../../../runtime/protocol/peer/message-middleware.ts";
import { RpcError } from "../../../../runtime/jsonrpc/errors.ts";
import { createSessionAcceptor } from "../../../../runtime/lifecycle/initialize-server.ts";
import { buildServer } from "../../../../runtime/server/build-server.ts";
import { createServer, type Server } from "../../../../runtime/server/create-server.ts";
import { createServerAcceptor } from "../../../../runtime/server/run/acceptor.ts";
import { serveHttp } from "../../../../runtime/server/run/serve-http.ts";
import { createInMemoryTransports } from "../../../../runtime/transport/memory.ts";
import { statelessRevision, newest as handshake } from "../../../kit/revisions.ts";
import { clientNotifications, clientRequests, extension, id } from "./echo.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function create(extensions: readonly Extension[], served: readonly Revision[] = revisions): Server {
  const server = createServer(
    { name: "server", version: "1", onError: (report) => reports.push(report), extensions },
    served,
  );
  closing.push(() => server.close());
  return server;
}

const reports: ErrorReport[] = [];
afterEach(() => void reports.splice(0));

/** Ways from a client to a server. */
const ways: Readonly<Record<string, (server: Server) => Promise<ConnectionFactory>>> = {
  "in memory": async (server) => {
    const accept = createServerAcceptor(server, {});
    return (options) => {
      const [near, far] = createInMemoryTransports();
      accept(far);
      return connect(near, options);
    };
  },
  "over HTTP": async (server) => {
    const listener = await serveHttp(server, { port: 0 });
    closing.push(() => listener.close());
    return (options) => connectHttp(listener.url, options);
  },
  "through a gateway": async (server) => {
    const upstream = await serveHttp(server, { port: 0 });
    closing.push(() => upstream.close());
    const gateway = await createGateway(
      { kind: "url", url: upstream.url },
      { revisions, extensions: [defineExtension(extension)] },
    );
    closing.push(() => gateway.close());
    const listener = await serveGatewayHttp(gateway);
    closing.push(() => listener.close());
    return (options) => connectHttp(listener.url, options);
  },
};

async function join(
  open: ConnectionFactory,
  extensions: readonly Extension[],
  revision: Revision,
): Promise<DefaultClientSession> {
  const info = { name: "client", version: "1" };
  const client = createUntypedClient({
    info,
    revisions: [revision],
    extensions,
    onError: (report) => reports.push(report),
  });
  closing.push(() => client.close());
  return client.connect(open);
}

describe.each(Object.entries(ways))("an extension %s", (_way, reach) => {
  test.each([statelessRevision, handshake].map((revision) => [revision.id, revision] as const))(
    "both ends use it at %s",
    async (_, revision) => {
      const received: string[] = [];
      const faded: string[] = [];
      const served = defineExtension(extension, {
        requests: {
          async "echo/say"({ text }, { notify, request }) {
            await notify("notifications/echo/faded", { text: `${text}…` });
            return revision.lifecycle === "handshake" ? request("echo/voice", { text }) : { text: text.toUpperCase() };
          },
          "echo/spell": ({ text }) => ({ text: [...text].join(" ") }),
        },
        notifications: { "notifications/echo/heard": ({ text }) => void received.push(text) },
        declared: { server: { loud: true } },
      });
      const used = defineExtension(extension, {
        requests: { "echo/voice": ({ text }) => ({ text: `a voice says ${text}` }) },
        notifications: { "notifications/echo/faded": ({ text }) => void faded.push(text) },
      });
      const session = await join(await reach(create([served], [revision])), [used], revision);
      const say = session.request(clientRequests["echo/say"], { text: "abc" });
      const isSession = revision.lifecycle === "handshake";
      expect(await say).toMatchObject({ text: isSession ? "a voice says abc" : "ABC" });
      expect(await session.request(clientRequests["echo/spell"], { text: "abc" })).toMatchObject({ text: "a b c" });
      await expect.poll(() => faded, { timeout: 60_000 }).toEqual(["abc…"]);
      expect(session.serverCapabilities.extensions).toEqual({ [id]: { loud: true } });
      await session.notify(clientNotifications["notifications/echo/heard"], { text: "x" });
      await expect.poll(() => received, { timeout: 60_000 }).toEqual(["x"]);
      expect(reports).toEqual([]);
    },
  );
});

test("an extension brings its requests to a server without other features", async () => {
  const served = defineExtension(extension, {
    requests: { "echo/say": ({ text }, { request }) => request("echo/voice", { text }) },
  });
  const used = defineExtension(extension, { requests: { "echo/voice": ({ text }) => ({ text: `heard ${text}` }) } });
  const definition = { name: "server", version: "1", extensions: [served] };
  const server = buildServer(definition, [handshake], { features: [], createAcceptor: createSessionAcceptor });
  closing.push(() => server.close());
  const accept = createServerAcceptor(server);
  const open: ConnectionFactory = (options) => {
    const [near, far] = createInMemoryTransports();
    accept(far);
    return connect(near, options);
  };
  const session = await join(open, [used], handshake);
  expect(await session.request(clientRequests["echo/say"], { text: "abc" })).toMatchObject({ text: "heard abc" });
});

/** Extension without messages. */
function plain(name: string, options: Parameters<typeof defineExtension>[1] = {}): Extension {
  const rows = { clientRequests: {}, serverRequests: {}, clientNotifications: {}, serverNotifications: {} };
  return defineExtension({ ...extension, ...rows, id: name }, options);
}

const [one, two] = ["com.example/one", "com.example/two"];
const done: string[] = [];
afterEach(() => void done.splice(0));

/** Setup that notes its place. */
const noted = { setup: ({ end }: { readonly end: string }) => void done.push(`set up at ${end}`) };

const core = { ...extension, clientRequests: { "tools/call": clientRequests["echo/say"] } };

describe("an extension that cannot be used", () => {
  test.each<[string, () => readonly Extension[], string]>([
    ["twice", () => [plain(one, noted), plain(one, noted)], `The extension ${one} is duplicated; pass it once`],
    ["with a method of the core", () => [core], `The extension ${id} defines tools/call, which is already defined`],
    [
      "with a method of another extension",
      () => [extension, { ...extension, id: two }],
      `The extension ${two} defines echo/say, which is already defined`,
    ],
    ["with an identifier without a prefix", () => [plain("echo")], '"echo" is not a valid extension identifier'],
    [
      "with invalid settings",
      () => [plain(id, { declared: { server: { loud: 1 }, client: {} } })],
      `Extension ${id}: its settings/loud must be boolean`,
    ],
    ["without the one that it requires", () => [plain(one, { requires: [two] })], `Extension ${one} requires ${two}`],
    [
      "with one that requires it",
      () => [plain(one, { requires: [two] }), plain(two, { requires: [one] })],
      `Extension ${one} requires itself: ${one} → ${two} → ${one}`,
    ],
    ["with itself", () => [plain(one, { requires: [one] })], `Extension ${one} requires itself: ${one} → ${one}`],
    [
      "with a setup that fails",
      () => [
        plain(two, {
          requires: [one],
          setup: () => {
            throw new Error("no key");
          },
        }),
        plain(one, { setup: () => ({ close: () => void done.push(`${one} closed`) }) }),
      ],
      `Extension ${two} cannot be set up: no key`,
    ],
    [
      "with a setup that returns a promise",
      () => [plain(one, { setup: (): object => Promise.resolve({}) })],
      `Extension ${one} cannot be set up: setup returned a promise; prepare it before`,
    ],
  ])("%s is rejected at each end", async (name, list, message) => {
    expect(() => create(list())).toThrow(message);
    const ended = name === "with a setup that fails" ? [`${one} closed`] : [];
    expect(done.splice(0)).toEqual(ended);
    const info = { name: "client", version: "1" };
    if (name !== "with invalid settings")
      expect(() => createUntypedClient({ info, revisions, extensions: list() })).toThrow(message);
    expect(done.splice(0)).toEqual(name === "with invalid settings" ? [] : ended);
    const open = await ways["in memory"]?.(create([]));
    if (open && name !== "with invalid settings")
      await expect(createGateway(open, { revisions, extensions: list() })).rejects.toThrow(message);
    expect(done).toEqual(name === "with invalid settings" ? [] : ended);
  });

  test.each<[string, object, string]>([
    [
      "an unknown request",
      { requests: { "echo/sing": () => ({}) } },
      `Extension ${id} has no request echo/sing; check the name`,
    ],
    [
      "a notification as a request",
      { requests: { "notifications/echo/heard": () => ({}) } },
      `Extension ${id} has no request notifications/echo/heard`,
    ],
    [
      "an unknown notification",
      { notifications: { "echo/say": () => {} } },
      `Extension ${id} has no notification echo/say; check the name`,
    ],
    [
      "a handler that is no function",
      { requests: { "echo/say": {} } },
      `Extension ${id}: the handler of echo/say is not a function`,
    ],
  ])("%s is rejected", (_, options, message) => {
    expect(() => defineExtension(extension, options)).toThrow(message);
  });
});

describe("a request of an extension", () => {
  const failing = defineExtension(extension, {
    requests: {
      "echo/say"({ text }, { request }) {
        if (text === "fail") throw new Error("a secret");
        if (text === "reject") throw new RpcError(-32001, "too loud");
        return text === "ask" ? request("echo/voice", { text }) : JSON.parse("{}");
      },
    },
  });
  const speechless = defineExtension(extension, {
    requests: {
      "echo/voice"() {
        throw new Error("another secret");
      },
    },
  });

  test.each<[string, "echo/say" | "echo/spell", object, object, ErrorReport["kind"] | undefined]>([
    ["with invalid params", "echo/say", { text: 1 }, { code: -32602 }, undefined],
    [
      "whose handler fails",
      "echo/say",
      { text: "fail" },
      { code: -32603, message: `Internal error in ${id}` },
      "handler",
    ],
    [
      "with an invalid result",
      "echo/say",
      { text: "" },
      { code: -32603, message: `Internal error in ${id}` },
      "handler",
    ],
    ["rejected by its handler", "echo/say", { text: "reject" }, { code: -32001, message: "too loud" }, undefined],
    ["without a handler", "echo/spell", { text: "" }, { code: -32601 }, undefined],
    [
      "whose client fails",
      "echo/say",
      { text: "ask" },
      { code: -32603, message: `Internal error in ${id}` },
      "handler",
    ],
  ])("a request %s gets an error", async (_, method, params, error, kind) => {
    const open = await ways["in memory"]?.(create([failing], [handshake]));
    const session = open && (await join(open, [speechless], handshake));
    // Clients check params too: as a raw row, they are sent as they are.
    const row = { ...clientRequests[method], params: () => undefined };
    await expect(session?.request(row, { text: "", ...params })).rejects.toMatchObject(error);
    expect(reports[0]?.kind).toBe(kind);
  });

  test.each([statelessRevision, handshake])(
    "clients that do not declare the extension are rejected at $id",
    async (revision) => {
      const open = await ways["in memory"]?.(create([failing]));
      const session = open && (await join(open, [], revision));
      const row = { ...clientRequests["echo/say"], gate: { side: "server", path: [] } } as const;
      const { needs: _needs, ...unguarded } = row;
      await expect(session?.request(unguarded, { text: "" })).rejects.toMatchObject({
        code: revision === statelessRevision ? -32021 : -32601,
      });
    },
  );
});

test("extensions are closed with their end, before the ones they require", async () => {
  const list = (): readonly Extension[] => [
    plain(two, {
      requires: [one],
      setup: ({ end }) => (done.push(`two at ${end}`), { close: () => void done.push("two closed") }),
    }),
    plain(one, { setup: ({ end }) => (done.push(`one at ${end}`), { close: () => void done.push("one closed") }) }),
  ];
  const server = create(list());
  const open = await ways["in memory"]?.(server);
  const gateway = open && (await createGateway(open, { revisions, extensions: list() }));
  const client = createUntypedClient({ info: { name: "client", version: "1" }, revisions, extensions: list() });
  const opened = ["server", "gateway", "client"].flatMap((end) => [`one at ${end}`, `two at ${end}`]);
  expect(done.splice(0)).toEqual(opened);
  for (const end of [client, gateway, server]) {
    await end?.close();
    expect(done.splice(0)).toEqual(["two closed", "one closed"]);
  }
});

test("middleware of an extension runs inside the middleware of its end", async () => {
  const step = (name: string): MessageMiddleware => ({
    receive: { request: ({ method, role }, next) => (note(`${name}: ${role} receives ${method}`), next()) },
    send: { request: ({ method, role }, next) => (note(`${name}: ${role} sends ${method}`), next()) },
  });
  const note = (text: string): void => void (text.endsWith("echo/spell") && done.push(text));
  const handlers = { requests: { "echo/spell": ({ text }: { readonly text: string }) => ({ text }) } };
  const adding = (name: string): Extension =>
    defineExtension(extension, { ...handlers, setup: () => ({ middleware: [step(name)] }) });
  const server = createServer(
    { name: "server", version: "1", extensions: [adding("extension")], middleware: [step("server")] },
    revisions,
  );
  server.use(step("use"));
  closing.push(() => server.close());
  const near = await ways["in memory"]?.(server);
  const gateway =
    near &&
    (await createGateway(near, { revisions, extensions: [adding("extension")], middleware: [step("gateway")] }));
  closing.push(async () => gateway?.close());
  const client = createUntypedClient({
    info: { name: "client", version: "1" },
    revisions,
    extensions: [adding("extension")],
    middleware: [step("client")],
  });
  closing.push(() => client.close());
  const session = await client.connect((options) => {
    const [end, far] = createInMemoryTransports();
    gateway?.accept(far);
    return connect(end, options);
  });
  await session.request(clientRequests["echo/spell"], { text: "" });
  expect(done).toEqual([
    "client: client sends echo/spell",
    "extension: client sends echo/spell",
    "gateway: server receives echo/spell",
    "extension: server receives echo/spell",
    "gateway: client sends echo/spell",
    "extension: client sends echo/spell",
    "server: server receives echo/spell",
    "use: server receives echo/spell",
    "extension: server receives echo/spell",
  ]);
});

test("a gateway that cannot connect closes its extensions, and reports what fails in that", async () => {
  const failing = plain(one, {
    setup: () => ({
      close() {
        done.push("closed");
        throw new Error("stuck");
      },
    }),
  });
  const onError = (report: ErrorReport): void => void reports.push(report);
  const opened = createGateway(() => Promise.reject(new Error("down")), { revisions, extensions: [failing], onError });
  await expect(opened).rejects.toThrow("down");
  expect(done).toEqual(["closed"]);
  expect(reports.map(({ error }) => error.message)).toContain("stuck");
});
