import { describe, expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { isObject, type Revision } from "../../../generated/support.ts";
import { connect, type ConnectOptions } from "../../../runtime/client/connect.ts";
import { isMissingCapabilityError } from "../../../runtime/jsonrpc/errors.ts";
import { isDiscoverRejection, toMetadata } from "../../../runtime/lifecycle/discover-client.ts";
import { EraCache } from "../../../runtime/lifecycle/era-cache.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import { Wire } from "../../../runtime/testing/wire.ts";
import { welcome } from "../client/raw-server.ts";
import { statelessRevision, newest } from "../../kit/revisions.ts";
import { meta } from "../../kit/messages.ts";
import { begin, discovered, methods, errorResponse, type Opened } from "../client/discovery.ts";

const info = { name: "c", version: "1" };

describe("the era cache", () => {
  test("the era cache saves the first request the next time (DE-03)", async () => {
    const era = new EraCache(new ManualClock()).noteOf("a");
    const first = await begin({ era });
    first.wire.post(errorResponse(1));
    await settle();
    first.wire.post({ jsonrpc: "2.0", id: 2, result: welcome(newest.id) });
    await first.connecting;
    expect(methods(first.wire)).toEqual(["server/discover", "initialize", "notifications/initialized"]);
    const second = await begin({ era });
    expect(methods(second.wire)).toEqual(["initialize"]);
  });

  test("the era cache applies to one server only", async () => {
    const eras = new EraCache(new ManualClock());
    eras.noteOf("a").keep("session");
    expect(methods((await begin({ era: eras.noteOf("b") })).wire)).toEqual(["server/discover"]);
  });

  test("the era cache expires after an hour, because no error shows when the server becomes stateless (trap 18)", async () => {
    const clock = new ManualClock();
    const era = new EraCache(clock).noteOf("a");
    era.keep("session");
    clock.advance(60 * 60 * 1000 - 1);
    expect(era.read()).toBe("session");
    clock.advance(1);
    expect(era.read()).toBeUndefined();
    expect(methods((await begin({ era })).wire)).toEqual(["server/discover"]);
  });

  test.each([
    ["a method that is unknown", -32601, undefined],
    ["a version that is not served", -32022, { supported: [statelessRevision.id], requested: newest.id }],
  ])("the era cache is corrected when a handshake is rejected as %s (DE-03)", async (_what, code, data) => {
    const era = new EraCache(new ManualClock()).noteOf("a");
    era.keep("session");
    const { wire, connecting } = await begin({ era });
    wire.post(errorResponse(1, code, data));
    await settle();
    expect(methods(wire)).toEqual(["initialize", "server/discover"]);
    wire.post({ jsonrpc: "2.0", id: 2, result: discovered });
    expect((await connecting).revision).toBe(statelessRevision);
    expect(era.read()).toBe("open");
  });
});

describe("a client with an option for the era", () => {
  test("a client with the option for sessions requests no stateless revision", async () => {
    const { wire } = await begin({ lifecycle: "handshake" });
    expect(methods(wire)).toEqual(["initialize"]);
  });

  test("a client with the option for stateless revisions opens no session", async () => {
    const { wire, connecting } = await begin({ lifecycle: "per-request" });
    wire.post(errorResponse(1));
    await expect(connecting).rejects.toMatchObject({ code: -32601 });
    expect(methods(wire)).toEqual(["server/discover"]);
  });
});

test("a time-out over HTTP opens no session (trap 17)", async () => {
  const clock = new ManualClock();
  const wire = Object.assign(new Wire(), { carriesOneByOne: true as const });
  const connecting = connect(wire, { info, revisions, clock });
  connecting.catch(() => {});
  await clock.pass(30_000);
  await expect(connecting).rejects.toMatchObject({ name: "TimeoutError", milliseconds: 30_000 });
  expect(methods(wire)).not.toContain("initialize");
});

test("the error of a missing capability at the first request proves a stateless server (3.4, TS-13)", async () => {
  const { wire, connecting } = await begin();
  wire.post(errorResponse(1, -32021, { requiredCapabilities: { elicitation: { form: {} } } }));
  await expect(connecting).rejects.toSatisfy(isMissingCapabilityError);
  expect(methods(wire)).toEqual(["server/discover"]);
});

test("headers that do not match the first request are reported where no session can be opened either (3.4)", async () => {
  const { wire, connecting } = await begin();
  wire.post(errorResponse(1, -32020, { header: "MCP-Protocol-Version" }));
  await settle();
  expect(methods(wire)).toEqual(["server/discover", "initialize"]);
  wire.post(errorResponse(2, -32022, { supported: [statelessRevision.id], requested: newest.id }));
  await expect(connecting).rejects.toMatchObject({ code: -32020, data: { header: "MCP-Protocol-Version" } });
});

describe("a server that names its revisions when it rejects the first request", () => {
  const other: Revision = { ...statelessRevision, id: "3000-01-01" };
  const served = [statelessRevision, other, newest];
  const rejection = (supported: unknown): object =>
    errorResponse(1, -32022, { supported, requested: statelessRevision.id });
  const next = async (supported: unknown, options: Partial<ConnectOptions> = {}): Promise<Opened> => {
    const opened = await begin({ revisions: served, ...options });
    opened.wire.post(rejection(supported));
    await settle();
    return opened;
  };

  test("the next request is at a revision that the server names", async () => {
    const { wire, connecting } = await next([other.id]);
    expect(methods(wire)).toEqual(["server/discover", "server/discover"]);
    expect(wire.sent[1]).toMatchObject({ params: { _meta: { [meta.version]: other.id } } });
    wire.post({ jsonrpc: "2.0", id: 2, result: { ...discovered, supportedVersions: [other.id] } });
    expect((await connecting).revision).toBe(other);
  });

  test("a server may reject a newer revision with the code that its own revision has for it", async () => {
    const { unsupportedProtocolVersion: rule } = statelessRevision.errors;
    const code = -32_050;
    const errors = { ...statelessRevision.errors, ...(rule && { unsupportedProtocolVersion: { ...rule, code } }) };
    const later: Revision = { ...statelessRevision, id: "3000-01-01", errors };
    for (const revisions of [
      [later, statelessRevision],
      [later, statelessRevision, newest],
    ]) {
      const { wire, connecting } = await begin({ revisions });
      wire.post(errorResponse(1, -32022, { supported: [statelessRevision.id], requested: later.id }));
      await settle();
      expect(methods(wire)).toEqual(["server/discover", "server/discover"]);
      wire.post({ jsonrpc: "2.0", id: 2, result: discovered });
      expect((await connecting).revision).toBe(statelessRevision);
    }
  });

  test("another revision is preferred to the rejected one, which is repeated if it is the only one", async () => {
    const versionOf = ({ wire }: Opened): unknown => wire.sent[1];
    const at = (id: string): object => ({ params: { _meta: { [meta.version]: id } } });
    expect(versionOf(await next([statelessRevision.id, other.id]))).toMatchObject(at(other.id));
    expect(versionOf(await next([statelessRevision.id]))).toMatchObject(at(statelessRevision.id));
  });

  test("a session is opened where the server names only revisions with sessions", async () => {
    expect(methods((await next([newest.id])).wire)).toEqual(["server/discover", "initialize"]);
  });

  test.each([
    ["nothing that the client supports", ["1999-01-01", 5], {}],
    ["only revisions with sessions, which the client does not open", [newest.id], { lifecycle: "per-request" }],
  ] as const)("the connection fails where the server names %s", async (_, supported, options) => {
    const { wire, connecting } = await next(supported, options);
    await expect(connecting).rejects.toMatchObject({
      name: "VersionError",
      requested: served.map(({ id }) => id),
      offered: supported.filter((id) => typeof id === "string"),
    });
    expect(methods(wire)).toEqual(["server/discover"]);
    expect(wire.isClosed).toBe(true);
  });

  test.each([
    ["no list", "text"],
    ["nothing", undefined],
  ])("a rejection that names %s is that of an older server", async (_, supported) => {
    expect(methods((await next(supported)).wire)).toEqual(["server/discover", "initialize"]);
  });
});

describe("a server that does not know the first request", () => {
  const fail = async (error: Error, options: Partial<ConnectOptions> = {}): Promise<Opened> => {
    const wire = Object.assign(new Wire(), {
      send: (message: object): Promise<void> | void => {
        wire.sent.push(message);
        if ("method" in message && message.method === "server/discover") return Promise.reject(error);
      },
    });
    const connecting = connect(wire, { info, revisions, clock: new ManualClock(), ...options });
    connecting.catch(() => {});
    await settle();
    return { wire, connecting };
  };
  const httpError = (status: number, name = "HttpError"): Error => Object.assign(new Error("x"), { name, status });

  test.each([400, 404, 405, 406, 415, 422])("a session is opened after the status %i", async (status) => {
    expect(methods((await fail(httpError(status))).wire)).toEqual(["server/discover", "initialize"]);
  });

  test.each([401, 403, 429, 500, 503])("the connection fails after the status %i", async (status) => {
    const { wire, connecting } = await fail(httpError(status));
    await expect(connecting).rejects.toMatchObject({ status });
    expect(methods(wire)).toEqual(["server/discover"]);
    expect(wire.isClosed).toBe(true);
  });

  test.each([
    ["HttpError", true],
    ["ResponseError", true],
    ["PeerError", true],
    ["RpcError", true],
    ["InvalidMessageError", true],
    ["ClosedError", false],
    ["TypeError", false],
  ])("the error %s without a status is a response: %j", (name, isResponse) => {
    expect(isDiscoverRejection(Object.assign(new Error("x"), { name }))).toBe(isResponse);
    expect(isDiscoverRejection({ name })).toBe(false);
    expect(isDiscoverRejection(Object.assign(new Error("x"), { name, status: "500" }))).toBe(isResponse);
  });

  test("a session is opened with a server that does not respond, except where messages travel separately", async () => {
    const clock = new ManualClock();
    const { wire } = await begin({ clock });
    await clock.pass(5_000);
    expect(methods(wire)).toContain("initialize");
  });
});

describe("the result of the first request", () => {
  const receive = async (result: unknown, options: Partial<ConnectOptions> = {}): Promise<Opened> => {
    const opened = await begin({ revisions: [statelessRevision], ...options });
    opened.wire.post({ jsonrpc: "2.0", id: 1, result });
    await settle();
    return opened;
  };

  test("the server is described by the result", async () => {
    const { connecting } = await receive({
      ...discovered,
      instructions: "Be kind",
      _meta: { [meta.serverInfo]: { name: "server", version: "2" } },
    });
    const client = await connecting;
    expect(client.state).toBe("INITIALIZED");
    expect([client.serverInfo, client.serverCapabilities, client.instructions]).toEqual([
      { name: "server", version: "2" },
      { tools: {} },
      "Be kind",
    ]);
  });

  test("a server that does not name itself is unknown", async () => {
    const { connecting } = await receive(discovered);
    expect((await connecting).serverInfo.name).toBe("unknown");
  });

  test.each([5, { [meta.serverInfo]: { version: "2" } }])(
    "a result with the metadata %j is rejected",
    async (_meta) => {
      const { connecting } = await receive({ ...discovered, _meta });
      await expect(connecting).rejects.toMatchObject({ name: "InvalidMessageError" });
    },
  );

  test("a result without the requested revision is rejected", async () => {
    const { wire, connecting } = await receive({ ...discovered, supportedVersions: ["1999-01-01"] });
    await expect(connecting).rejects.toMatchObject({
      name: "VersionError",
      requested: [statelessRevision.id],
      offered: ["1999-01-01"],
    });
    expect(wire.isClosed).toBe(true);
  });

  test("a result without capabilities is rejected", async () => {
    const { capabilities: _capabilities, ...rest } = discovered;
    const { wire, connecting } = await receive(rest);
    await expect(connecting).rejects.toMatchObject({ name: "InvalidMessageError" });
    expect(wire.isClosed).toBe(true);
  });
});

describe("the metadata of a request", () => {
  const own = { info, capabilities: { roots: {} } };

  test("the metadata names revision, client and capabilities, and the log level if there is one", () => {
    const metadata = {
      [meta.version]: statelessRevision.id,
      [meta.capabilities]: { roots: {} },
      [meta.clientInfo]: info,
    };
    expect(toMetadata(statelessRevision, own)).toEqual(metadata);
    expect(toMetadata(statelessRevision, own, "error")).toEqual({ ...metadata, [meta.logLevel]: "error" });
  });

  test("every request carries the current log level", async () => {
    let level: string | undefined;
    const { wire, connecting } = await begin({ revisions: [statelessRevision], logLevel: () => level });
    wire.post({ jsonrpc: "2.0", id: 1, result: discovered });
    const client = await connecting;
    for (const next of [undefined, "error", "error", "debug", undefined]) {
      level = next;
      void client.request("tools/list", {}).catch(() => {});
    }
    await settle();
    expect(wire.sent.slice(1).map((message) => readLevel(message))).toEqual([
      undefined,
      "error",
      "error",
      "debug",
      undefined,
    ]);
  });

  test("identity and capabilities may differ from revision to revision", async () => {
    const { wire } = await begin({
      info: ({ id }) => ({ name: id, version: "1" }),
      capabilities: ({ id }) => ({ experimental: { [id]: {} } }),
    });
    expect(wire.sent[0]).toMatchObject({
      params: {
        _meta: {
          [meta.clientInfo]: { name: statelessRevision.id, version: "1" },
          [meta.capabilities]: { experimental: { [statelessRevision.id]: {} } },
        },
      },
    });
  });
});

function readLevel(message: unknown): unknown {
  const params = isObject(message) && isObject(message.params) ? message.params : {};
  return isObject(params._meta) ? params._meta[meta.logLevel] : undefined;
}
