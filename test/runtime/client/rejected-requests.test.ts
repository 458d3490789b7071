import { afterEach, describe, expect, test } from "vitest";
import type { Revision } from "../../../generated/support.ts";
import { connect } from "../../../runtime/client/connect.ts";
import { createUntypedClient } from "../../../runtime/client/create-client.ts";
import { isMissingCapabilityError, isPeerError, isUnsupportedVersionError } from "../../../runtime/jsonrpc/errors.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import { Wire } from "../../../runtime/testing/wire.ts";
import { statelessRevision } from "../../kit/revisions.ts";
import { meta } from "../../kit/messages.ts";
import { begin, discovered, methods, errorResponse } from "./discovery.ts";

/* Requests to a server without sessions: it rejects them before any work on them. */

const info = { name: "c", version: "1" };
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Connects a client to a raw wire, at the newest revision. */
async function openSession() {
  const wire = new Wire();
  const client = createUntypedClient({ info, revisions: [statelessRevision], clock: new ManualClock() });
  closers.push(() => client.close());
  const connecting = client.connect(wire);
  await settle();
  wire.post({ jsonrpc: "2.0", id: 1, result: discovered });
  const session = await connecting;
  return { wire, session };
}

describe("a capability that is missing at the server", () => {
  const data = { requiredCapabilities: { elicitation: { form: {} } } };

  test("the error of a missing capability names it (S-014)", async () => {
    const { wire, connecting } = await begin();
    wire.post({ jsonrpc: "2.0", id: 1, result: discovered });
    const calling = (await connecting).request("tools/call", { name: "a" });
    wire.post(errorResponse(2, -32021, data));
    const error: unknown = await calling.catch((thrown: unknown) => thrown);
    expect(isMissingCapabilityError(error) && error.requiredCapabilities).toEqual(data.requiredCapabilities);
    expect(isPeerError(error) && error.code).toBe(-32021);
  });
});

describe("a call whose headers do not match", () => {
  const mismatch = (id: number): object => errorResponse(id, -32020, { header: "Mcp-Param-A" });

  test.each([
    ["succeeds", (id: number) => ({ jsonrpc: "2.0", id, result: { resultType: "complete", content: [] } }), true],
    ["fails again, and is not made a third time", mismatch, false],
  ])(
    "a call whose headers do not match is sent again after tools/list, and %s (TH-28)",
    async (_what, toResponse, isFine) => {
      const { wire, session } = await openSession();
      const calling = session.callTool("a").then(
        () => true,
        () => false,
      );
      await settle();
      wire.post(mismatch(2));
      await settle();
      wire.post({ jsonrpc: "2.0", id: 3, result: { ...discovered, tools: [] } });
      await settle();
      wire.post(toResponse(4));
      expect(await calling).toBe(isFine);
      expect(methods(wire).slice(1)).toEqual(["tools/call", "tools/list", "tools/call"]);
    },
  );
});

test("a call whose headers do not match lists the tools again although they are cached (TH-28)", async () => {
  const { wire, session } = await openSession();
  const list = (id: number): object => ({ jsonrpc: "2.0", id, result: { ...discovered, tools: [], ttlMs: 60_000 } });
  const listing = session.listTools();
  await settle();
  wire.post(list(2));
  await listing;
  expect(await session.listTools()).toEqual([]);
  const calling = session.callTool("a");
  await settle();
  wire.post(errorResponse(3, -32020, { header: "Mcp-Param-A" }));
  await settle();
  wire.post(list(4));
  await settle();
  wire.post({ jsonrpc: "2.0", id: 5, result: { resultType: "complete", content: [] } });
  await calling;
  expect(methods(wire).slice(1)).toEqual(["tools/list", "tools/call", "tools/list", "tools/call"]);
});

test("a retry with input responses whose headers do not match is sent again, and earlier requests are not (TH-28)", async () => {
  const wire = new Wire();
  const requested: unknown[] = [];
  const client = createUntypedClient({
    info,
    revisions: [statelessRevision],
    clock: new ManualClock(),
    elicitation: {
      form: (params: unknown) => {
        requested.push(params);
        return { action: "accept", content: { sure: true } };
      },
    },
  });
  closers.push(() => client.close());
  const connecting = client.connect(wire);
  await settle();
  wire.post({ jsonrpc: "2.0", id: 1, result: discovered });
  const calling = (await connecting).callTool("a");
  await settle();
  const schema = { type: "object", properties: { sure: { type: "boolean" } } };
  const params = { mode: "form", message: "Sure?", requestedSchema: schema };
  const inputRequests = { sure: { method: "elicitation/create", params } };
  wire.post({ jsonrpc: "2.0", id: 2, result: { resultType: "input_required", inputRequests, requestState: "s" } });
  await settle();
  wire.post(errorResponse(3, -32020, { header: "Mcp-Param-A" }));
  await settle();
  wire.post({ jsonrpc: "2.0", id: 4, result: { ...discovered, tools: [] } });
  await settle();
  wire.post({ jsonrpc: "2.0", id: 5, result: { resultType: "complete", content: [] } });
  await calling;
  expect(methods(wire).slice(1)).toEqual(["tools/call", "tools/call", "tools/list", "tools/call"]);
  const input = { inputResponses: { sure: { action: "accept", content: { sure: true } } }, requestState: "s" };
  expect([wire.sent[2], wire.sent[4]]).toMatchObject([{ params: input }, { params: input }]);
  expect(requested).toHaveLength(1);
});

test("a call without reconnection fails with the revisions of a server that no longer serves the one of the client (C-009)", async () => {
  const { wire, connecting } = await begin();
  wire.post({ jsonrpc: "2.0", id: 1, result: discovered });
  const calling = (await connecting).request("tools/call", { name: "a" });
  calling.catch(() => {});
  await settle();
  wire.post(errorResponse(2, -32022, { supported: ["3000-01-01", 5], requested: statelessRevision.id }));
  const error = await calling.catch((thrown: unknown) => thrown);
  expect(isPeerError(error) && isUnsupportedVersionError(error) && error.supported).toEqual(["3000-01-01"]);
  expect(error).toMatchObject({
    code: -32022,
    message: expect.stringMatching(/now supports 3000-01-01; connect again/),
  });
});

test.each([
  ["the code of the client's revision", -32_022],
  ["the code of its own revision", -32_050],
])(
  "a call is sent at another revision when the server rejects that of the client with %s (C-009)",
  async (_which, code) => {
    const { unsupportedProtocolVersion: rule } = statelessRevision.errors;
    const errors = { ...statelessRevision.errors, ...(rule && { unsupportedProtocolVersion: { ...rule, code } }) };
    const other: Revision = { ...statelessRevision, id: "3000-01-01", errors };
    const clock = new ManualClock();
    const wires: Wire[] = [];
    const client = createUntypedClient({ info, revisions: [statelessRevision, other], clock, reconnect: {} });
    closers.push(() => client.close());
    const connecting = client.connect((options) => {
      const wire = new Wire();
      wires.push(wire);
      return connect(wire, options);
    });
    await settle();
    const [first] = wires;
    first?.post({ jsonrpc: "2.0", id: 1, result: discovered });
    const calling = (await connecting).callTool("a");
    await settle();
    const gone = { supported: [other.id], requested: statelessRevision.id };
    first?.post(errorResponse(2, code, gone));
    await clock.pass(2_000);
    const [, second] = wires;
    second?.post(errorResponse(1, code, gone));
    await settle();
    second?.post({ jsonrpc: "2.0", id: 2, result: { ...discovered, supportedVersions: [other.id] } });
    await settle();
    expect(second?.sent.at(-1)).toMatchObject({
      method: "tools/call",
      params: { name: "a", _meta: { [meta.version]: other.id } },
    });
    second?.post({ jsonrpc: "2.0", id: 3, result: { resultType: "complete", content: [] } });
    expect(await calling).toMatchObject({ content: [] });
  },
);

test("a call fails with an error of the same code that names no revisions", async () => {
  const { unsupportedProtocolVersion: rule } = statelessRevision.errors;
  const errors = {
    ...statelessRevision.errors,
    ...(rule && { unsupportedProtocolVersion: { ...rule, code: -32_050 } }),
  };
  const revisions: Revision[] = [statelessRevision, { ...statelessRevision, id: "3000-01-01", errors }];
  const client = createUntypedClient({ info, revisions, clock: new ManualClock(), reconnect: {} });
  closers.push(() => client.close());
  const wire = new Wire();
  const connecting = client.connect((options) => connect(wire, options));
  await settle();
  wire.post({ jsonrpc: "2.0", id: 1, result: discovered });
  const calling = (await connecting).callTool("a");
  calling.catch(() => {});
  await settle();
  wire.post(errorResponse(2, -32_050, { reason: "own" }));
  await expect(calling).rejects.toMatchObject({ code: -32_050 });
});
