import { describe, expect, test } from "vitest";
import type { Profile } from "../../../runtime/protocol/profile.ts";
import { openWire, welcome } from "../client/raw-server.ts";
import { statelessRevision, newest } from "../../kit/revisions.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import { initialize, request } from "../../kit/messages.ts";
import { runTranscript } from "../../../runtime/testing/transcript.ts";
import { serveWire } from "../../kit/wire.ts";

const oldCapabilities: Profile = { readCapabilities: ({ old, ...rest }) => ({ ...rest, new: old }) };

describe("timeouts of a profile", () => {
  test.each([
    ["apply where none are given", undefined, 1_000],
    ["apply beside others that are given", { request: 3_000 }, 1_000],
    ["give way to those that are given", { initialize: 2_000 }, 2_000],
  ])("timeouts of a profile %s", async (_, timeouts, milliseconds) => {
    const clock = new ManualClock();
    const profile = { timeouts: { initialize: 1_000 } };
    const { connecting } = openWire({ clock, profile, ...(timeouts && { timeouts }) });
    await settle();
    clock.advance(2_000);
    await expect(connecting).rejects.toMatchObject({ name: "TimeoutError", milliseconds });
  });

  test("timeouts of a profile apply to stateless requests as well", async () => {
    const clock = new ManualClock();
    const { wire } = await serveWire({
      clock,
      profile: { timeouts: { handler: 1_000 } },
      revisions: [statelessRevision],
      capabilities: { tools: {} },
      handlers: { listTools: () => new Promise(() => {}) },
    });
    wire.post(request(1, "tools/list"));
    clock.advance(1_000);
    expect(wire.sent).toMatchObject([{ id: 1, error: { message: "Request timed out" } }]);
  });
});

test.each<[string, Profile, number]>([
  ["with a code for it", { notInitialized: -32005 }, -32005],
  ["without one", {}, -32600],
])("a profile %s determines the error of a request before the handshake", async (_, profile, code) => {
  const { wire } = await serveWire({ profile });
  await runTranscript(wire, [
    [">", { id: 1, method: "tools/list" }],
    ["<", { id: 1, error: { code, message: "The session is not initialized; send initialize first" } }],
  ]);
});

describe("the request of a profile that ends the session", () => {
  test("the request that ends the session gets a response before the connection is closed, and others are served", async () => {
    const { wire } = await serveWire({ profile: { shutdown: "bye" } }, newest.id);
    await runTranscript(wire, [
      [">", { id: 1, method: "ping" }],
      ["<", { id: 1, result: {} }],
    ]);
    expect(wire.isClosed).toBe(false);
    await runTranscript(wire, [
      [">", { id: 2, method: "bye" }],
      ["<", { id: 2, result: {} }],
    ]);
    await settle();
    expect(wire.isClosed).toBe(true);
  });

  test("the request that ends the session is unknown where the profile has none", async () => {
    const { wire } = await serveWire({ profile: {} }, newest.id);
    wire.post({ jsonrpc: "2.0", id: 1, method: "shutdown" });
    await settle();
    expect(wire.sent).toMatchObject([{ id: 1, error: { code: -32601 } }]);
    expect(wire.isClosed).toBe(false);
  });
});

describe("declared capabilities", () => {
  test.each<[string, Profile, object]>([
    ["as the profile reads them", oldCapabilities, { new: {} }],
    ["as they are where it does not read them", {}, { old: {} }],
  ])("declared capabilities are taken %s", async (_, profile, expected) => {
    const { wire, connection } = await serveWire({ profile });
    wire.post(initialize(newest.id, { old: {} }));
    await settle();
    expect(connection.session?.peer.capabilities).toEqual(expected);
    const opened = openWire({ profile });
    opened.wire.post({ jsonrpc: "2.0", id: 1, result: welcome(newest.id, { old: {} }) });
    expect((await opened.connecting).serverCapabilities).toEqual(expected);
  });
});
