import { describe, expect, test } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import { createAjvValidator } from "../../../../runtime/adapters/ajv.ts";
import { isToolOutputError } from "../../../../runtime/client/errors.ts";
import type { DefaultClientSession } from "../../../../runtime/client/session/default-session.ts";
import type { AnyClientOptions } from "../../../../runtime/client/options.ts";
import type { KnownMember } from "../../../../runtime/protocol/revision/known-members.ts";
import { ManualClock, settle } from "../../../../runtime/testing/manual-clock.ts";
import { runTranscript, type TranscriptLine } from "../../../../runtime/testing/transcript.ts";
import type { Wire } from "../../../../runtime/testing/wire.ts";
import { handshakeRevisions, revisionOf } from "../../../kit/revisions.ts";
import { openSession, type WiredSession } from "./session-wire.ts";

/* A member that the negotiated revision does not have means nothing, whatever another revision says of it. */

const tool = { name: "t", inputSchema: { type: "object" } };
const content = [{ type: "text", text: "done" }];

function open(revision: string, options: Partial<AnyClientOptions> = {}): Promise<WiredSession> {
  return openSession(options, { revision, capabilities: { tools: {}, resources: {} } });
}

function respond(id: number, method: string, result: object): readonly TranscriptLine[] {
  return [
    ["~", { id, method }],
    [">", { id, result }],
  ];
}

async function during<Result>(wire: Wire, call: Promise<Result>, script: readonly TranscriptLine[]): Promise<Result> {
  call.catch(() => {});
  await runTranscript(wire, script);
  return call;
}

describe.each(handshakeRevisions.map(({ id }) => id))("a client at revision %s", (revision) => {
  const asking = {
    resultType: "input_required",
    inputRequests: { a: { method: "elicitation/create", params: { message: "m", requestedSchema: {} } } },
    requestState: "s",
  };

  test.each([["complete"], ["input_required"], ["task"], ["nonsense"], [7]])(
    "a client accepts a result with the resultType %j like any other, after one request",
    async (resultType) => {
      const form = (): object => ({ action: "cancel" });
      const { wire, session } = await open(revision, { elicitation: { form } });
      const result = { content, ...asking, resultType };
      const given = await during(wire, session.callTool("t"), respond(2, "tools/call", result));
      expect(given).toMatchObject({ content });
      expect(given).not.toHaveProperty("resultType");
    },
  );

  const uri = "file:///a";
  test.each([
    ["resources/read", { contents: [] }, (session: DefaultClientSession) => session.readResource(uri)],
    ["tools/list", { tools: [tool] }, (session: DefaultClientSession) => session.listTools()],
    ["resources/list", { resources: [] }, (session: DefaultClientSession) => session.listResources()],
  ])("a client does not keep the result of %s for the time that it names", async (method, result, call) => {
    const { wire, session } = await open(revision);
    const kept = { ...result, ttlMs: 60_000, cacheScope: "public" };
    await during(wire, call(session), respond(2, method, kept));
    await during(wire, call(session), respond(3, method, kept));
  });
});

describe("output schemas", () => {
  const validator = createAjvValidator();
  const outputSchema = { type: "object", required: ["sum"] };
  const call = async (revision: string): Promise<unknown> => {
    const { wire, session } = await open(revision, { validator });
    const listing = during(wire, session.listTools(), respond(2, "tools/list", { tools: [{ ...tool, outputSchema }] }));
    await listing;
    return during(wire, session.callTool("t"), respond(3, "tools/call", { content, structuredContent: {} }));
  };

  test.each(["2024-11-05", "2025-03-26"])("output schemas are ignored at revision %s", async (revision) => {
    expect(await call(revision)).toMatchObject({ content });
  });

  test.each(["2025-06-18", "2025-11-25"])("output schemas are checked at revision %s", async (revision) => {
    const error: unknown = await call(revision).catch((thrown: unknown) => thrown);
    expect(isToolOutputError(error)).toBe(true);
  });
});

describe("an interrupted call", () => {
  test.each([
    ["2024-11-05", []],
    ["2025-03-26", ["tools/call"]],
  ])(
    "an interrupted call is sent again for the annotations of its tool where the revision has them: %s",
    async (revision, sent) => {
      const clock = new ManualClock();
      const opened = await open(revision, { clock, reconnect: {} });
      const tools = [{ ...tool, annotations: { readOnlyHint: true } }];
      await during(opened.wire, opened.session.listTools(), respond(2, "tools/list", { tools }));
      const calling = opened.session.callTool("t", {}, { retry: "safe" });
      calling.catch(() => {});
      await settle();
      opened.wire.end(new Error("cut"));
      for (let tries = 0; opened.wires.length === 1 && tries < 100; tries += 1) await clock.pass(500);
      await settle();
      const [next] = opened.wires;
      const calls = next?.sent
        .map((message) => Reflect.get(Object(message), "method"))
        .filter((m) => m === "tools/call");
      expect(calls).toEqual(sent);
      await opened.client.close();
    },
  );
});

describe("a request of a server", () => {
  const form = { message: "m", requestedSchema: { type: "object", properties: {} } };
  const page = { mode: "url", elicitationId: "1", url: "https://example.org/" };

  test("an elicitation is a form where the revision has no modes, whatever mode it names", async () => {
    const seen: unknown[] = [];
    const elicitation = {
      form: (params: object) => (seen.push(params), { action: "accept", content: {} }),
      url: () => ({ action: "cancel" }),
    };
    const { wire } = await open("2025-06-18", { elicitation });
    await runTranscript(wire, [
      [">", { id: 7, method: "elicitation/create", params: { ...form, ...page } }],
      ["<", { id: 7, result: { action: "accept", content: {} } }],
    ]);
    expect(seen).toEqual([form]);
  });

  test.each(["2024-11-05", "2025-03-26", "2025-06-18"])(
    "a sampling request has no tools at revision %s, whatever it contains",
    async (revision) => {
      const seen: unknown[] = [];
      const result = { role: "assistant", content: { type: "text", text: "Hi" }, model: "m" };
      const createMessage = (params: object): object => (seen.push(params), result);
      const { wire } = await open(revision, { sampling: { createMessage } });
      const params = { maxTokens: 10, messages: [{ role: "user", content: { type: "text", text: "Hello" } }] };
      await runTranscript(wire, [
        [
          ">",
          {
            id: 7,
            method: "sampling/createMessage",
            params: { ...params, tools: [tool], toolChoice: { mode: "auto" } },
          },
        ],
        ["<", { id: 7, result }],
      ]);
      expect(seen).toEqual([params]);
    },
  );
});

test("every member that the runtime reads with the revision exists at some revision, and at not all", () => {
  const members: Record<KnownMember, true> = {
    "CacheableResult.cacheScope": true,
    "CacheableResult.ttlMs": true,
    "CompleteRequest.params.context": true,
    "Result.resultType": true,
    "Tool.annotations": true,
    "Tool.execution": true,
    "Tool.outputSchema": true,
  };
  const known = revisions.flatMap(({ knownMembers }) => knownMembers);
  expect([...new Set(known)].sort()).toEqual(Object.keys(members));
  expect(revisionOf("2024-11-05").knownMembers).toEqual([]);
});
