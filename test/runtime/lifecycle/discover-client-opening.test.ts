import { describe, expect, test } from "vitest";
import type { Revision } from "../../../generated/support.ts";
import { isDiscoverRejection, toMetadata } from "../../../runtime/lifecycle/discover-client.ts";
import { EraCache, type EraEntry } from "../../../runtime/lifecycle/era-cache.ts";
import { begin, discovered, methods, errorResponse, type Opened } from "../client/discovery.ts";
import { openWire, welcome } from "../client/raw-server.ts";
import { statelessRevision, newest } from "../../kit/revisions.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import { meta } from "../../kit/messages.ts";

/** The newest stateless revision, but every result of server/discover is valid. */
function lenient(): Revision {
  const { "server/discover": discover } = statelessRevision.clientRequests;
  if (!discover) throw new Error("The revision has no server/discover");
  const row = { ...discover, result: () => undefined };
  return { ...statelessRevision, clientRequests: { ...statelessRevision.clientRequests, "server/discover": row } };
}

function withoutKey(removed: string): Revision {
  return { ...statelessRevision, reservedMeta: statelessRevision.reservedMeta.filter(({ key }) => key !== removed) };
}

/** A cached server that needed a session. */
function needsSession(clock = new ManualClock()): EraEntry {
  const era = new EraCache(clock).noteOf("a");
  era.keep("session");
  return era;
}

describe("the era cache", () => {
  test("the era cache keeps a server without sessions for good", () => {
    const clock = new ManualClock();
    const era = new EraCache(clock).noteOf("a");
    era.keep("open");
    clock.advance(365 * 24 * 60 * 60 * 1000);
    expect(era.read()).toBe("open");
  });

  test("the era cache saves the first request where the session is opened", async () => {
    const { wire, connecting } = await begin({ era: needsSession() });
    wire.post({ jsonrpc: "2.0", id: 1, result: welcome(newest.id) });
    expect((await connecting).revision).toBe(newest);
    expect(methods(wire)).toEqual(["initialize", "notifications/initialized"]);
  });

  test("the era cache forgets a server that opens no session and rejects the discovery as well", async () => {
    const era = needsSession();
    const { wire, connecting } = await begin({ era });
    wire.post(errorResponse(1));
    await settle();
    expect(era.read()).toBeUndefined();
    wire.end(new Error("gone"));
    await expect(connecting).rejects.toMatchObject({ name: "ClosedError" });
    expect(era.read()).toBeUndefined();
  });

  test("the era cache keeps a server whose handshake says nothing about its kind", async () => {
    const clock = new ManualClock();
    const era = needsSession(clock);
    const { wire, connecting } = await begin({ era, clock });
    await clock.pass(30_000);
    await expect(connecting).rejects.toMatchObject({ name: "TimeoutError", method: "initialize" });
    expect(methods(wire)).toEqual(["initialize"]);
    expect(era.read()).toBe("session");
  });

  test("the era cache does not apply to a client that opens no session", async () => {
    const { wire } = await begin({ era: needsSession(), lifecycle: "per-request" });
    expect(methods(wire)).toEqual(["server/discover"]);
  });

  test("the era cache learns the kind of a server that rejects the first revision", async () => {
    const other: Revision = { ...statelessRevision, id: "3000-01-01" };
    const era = new EraCache(new ManualClock()).noteOf("a");
    const { wire, connecting } = await begin({ era, revisions: [statelessRevision, other] });
    wire.post(errorResponse(1, -32022, { supported: [other.id], requested: statelessRevision.id }));
    await settle();
    wire.post({ jsonrpc: "2.0", id: 2, result: { ...discovered, supportedVersions: [other.id] } });
    await connecting;
    expect(era.read()).toBe("open");
  });
});

describe("an error of the first request", () => {
  const open = async (first: object): Promise<Opened> => {
    const opened = await begin();
    opened.wire.post(first);
    await settle();
    expect(methods(opened.wire)).toEqual(["server/discover", "initialize"]);
    return opened;
  };
  const mismatch = errorResponse(1, -32020, { header: "MCP-Protocol-Version" });

  test("an error of the first request is not reported where the handshake is rejected for its own reason", async () => {
    const { wire, connecting } = await open(errorResponse(1, -32601));
    wire.post(errorResponse(2, -32000));
    await expect(connecting).rejects.toMatchObject({ code: -32000 });
  });

  test("an error of the first request is not reported where the connection breaks in the handshake", async () => {
    const { wire, connecting } = await open(mismatch);
    wire.end(new Error("gone"));
    await expect(connecting).rejects.toMatchObject({ name: "ClosedError" });
  });

  test("an error of the first request is reported where the server has no revision for the session either", async () => {
    const { wire, connecting } = await open(mismatch);
    wire.post({ jsonrpc: "2.0", id: 2, result: welcome("1999-01-01") });
    await expect(connecting).rejects.toMatchObject({ code: -32020 });
  });

  test("an error of the first request names revisions only with the code for it", async () => {
    await open(errorResponse(1, -32601, { supported: ["1999-01-01"] }));
  });

  test.each([undefined, "text", 5])(
    "an error of the first request is a response only if it is an error: %j",
    (error) => {
      expect(isDiscoverRejection(error)).toBe(false);
    },
  );
});

test("a stateless revision without server/discover is an error", async () => {
  const { "server/discover": _discover, ...clientRequests } = statelessRevision.clientRequests;
  const { wire, connecting } = await begin({ revisions: [{ ...statelessRevision, clientRequests }] });
  await expect(connecting).rejects.toThrow(`Revision ${statelessRevision.id} has no server/discover`);
  expect([wire.sent, wire.isClosed]).toEqual([[], true]);
});

describe("a revision whose tables accept any result", () => {
  const receive = async (result: object): Promise<Opened> => {
    const opened = await begin({ revisions: [lenient()] });
    opened.wire.post({ jsonrpc: "2.0", id: 1, result });
    return opened;
  };

  test("a result without capabilities is rejected nevertheless", async () => {
    const { connecting } = await receive({ supportedVersions: [statelessRevision.id] });
    await expect(connecting).rejects.toMatchObject({
      name: "InvalidMessageError",
      method: "server/discover",
      part: "result",
      issue: { path: "capabilities", expected: "object" },
    });
  });

  test("revisions that are no text are not reported", async () => {
    const { connecting } = await receive({ ...discovered, supportedVersions: [5, "1999-01-01"] });
    await expect(connecting).rejects.toMatchObject({ name: "VersionError", offered: ["1999-01-01"] });
  });

  test("instructions that are no text are ignored", async () => {
    const { connecting } = await receive({ ...discovered, instructions: 5 });
    expect((await connecting).instructions).toBeUndefined();
  });
});

describe("a client without a session", () => {
  test("a client without a session handles notifications, and ignores requests", async () => {
    const seen: unknown[] = [];
    const handlers = {
      toolListChanged: () => void seen.push("toolListChanged"),
      createMessage: () => void seen.push("createMessage"),
    };
    const { wire, connecting, reports } = openWire({
      revisions: [statelessRevision],
      clock: new ManualClock(),
      handlers,
    });
    await settle();
    wire.post({ jsonrpc: "2.0", id: 1, result: { ...discovered, capabilities: { tools: { listChanged: true } } } });
    const { session } = await connecting;
    expect([session.role, session.own]).toEqual([
      "client",
      { info: { name: "client", version: "1" }, capabilities: {} },
    ]);
    wire.sent.length = 0;
    wire.post(
      { jsonrpc: "2.0", method: "notifications/tools/list_changed" },
      { jsonrpc: "2.0", id: 1, method: "ping" },
      { jsonrpc: "2.0", id: 2, method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } },
    );
    await settle();
    expect([seen, wire.sent]).toEqual([["toolListChanged"], []]);
    expect(reports).toMatchObject([{ method: "ping" }, { method: "sampling/createMessage" }]);
  });

  test("a client without a session sends requests without a log level by default", async () => {
    const { wire, connecting } = await begin();
    wire.post({ jsonrpc: "2.0", id: 1, result: discovered });
    const client = await connecting;
    void client.request("tools/list", {}).catch(() => {});
    await settle();
    expect(wire.sent[1]).toMatchObject({
      method: "tools/list",
      params: { _meta: { [meta.version]: statelessRevision.id } },
    });
    expect(wire.sent[1]).not.toHaveProperty(["params", "_meta", meta.logLevel]);
    wire.end();
  });
});

describe("a server that is silent", () => {
  test.each([
    ["is older after 5 s", {}, 5_000, "initialize"],
    [
      "is waited for as long as for `initialize` if no revision has sessions",
      { revisions: [statelessRevision] },
      30_000,
      undefined,
    ],
    ["is waited for as long if no session may be opened", { lifecycle: "per-request" }, 30_000, undefined],
    [
      "is waited for as long as the client says",
      { revisions: [statelessRevision], timeouts: { initialize: 90_000 } },
      90_000,
      undefined,
    ],
  ] as const)("a server that is silent %s", async (_case, options, milliseconds, next) => {
    const clock = new ManualClock();
    const { wire, connecting } = await begin({ clock, ...options });
    clock.advance(milliseconds - 1);
    await settle();
    expect(methods(wire)).toEqual(["server/discover"]);
    clock.advance(1);
    if (next === undefined) {
      await expect(connecting).rejects.toMatchObject({ name: "TimeoutError", milliseconds });
      return;
    }
    await settle();
    expect(methods(wire)).toEqual(["server/discover", "notifications/cancelled", next]);
    wire.end();
    await expect(connecting).rejects.toThrow();
  });
});

describe("metadata", () => {
  const own = { info: { name: "client", version: "1" }, capabilities: {} };
  const metadata = { [meta.version]: statelessRevision.id, [meta.capabilities]: {}, [meta.clientInfo]: own.info };
  const { [meta.clientInfo]: _info, ...anonymous } = metadata;

  test.each([
    ["no log level without one", statelessRevision, undefined, metadata],
    ["no log level at a revision without a key for it", withoutKey(meta.logLevel), "error", metadata],
    ["no client at a revision without a key for it", withoutKey(meta.clientInfo), undefined, anonymous],
  ] as const)("metadata names %s", (_, revision, level, expected) => {
    expect(toMetadata(revision, own, level)).toStrictEqual(expected);
  });
});
