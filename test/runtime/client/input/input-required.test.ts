import { describe, expect, test } from "vitest";
import type { Declarations } from "../../../../generated/2026-07-28/index.ts";
import { revisions } from "../../../../generated/revisions.ts";
import { isObject, type Progress } from "../../../../generated/support.ts";
import { createClient, type Client } from "../../../../runtime/client/create-client.ts";
import { isInputRequiredError } from "../../../../runtime/client/errors.ts";
import type { ClientOptions } from "../../../../runtime/client/options.ts";
import type { ClientSession } from "../../../../runtime/client/session/client-session.ts";
import { createServerAcceptor } from "../../../../runtime/server/run/acceptor.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { ManualClock, settle } from "../../../../runtime/testing/manual-clock.ts";
import { Wire } from "../../../../runtime/testing/wire.ts";
import { createInMemoryTransports } from "../../../../runtime/transport/memory.ts";
import { statelessRevision, newest } from "../../../kit/revisions.ts";
import { meta } from "../../../kit/messages.ts";
import { formParams, type Run } from "../../server/input/raw-client.ts";

type Options = Partial<ClientOptions<Declarations>>;

const info = { name: "test", version: "1" };

const form: NonNullable<Options["elicitation"]> = {
  form: ({ message }) => ({ action: "accept", content: { a: message } }),
};

function create(options: Options = {}): Client<Declarations> {
  return createClient<Declarations>({ info, revisions: [statelessRevision], ...options });
}

async function connectInMemory(run: Run, options: Options = {}): Promise<ClientSession<Declarations>> {
  const server = createServer(
    { name: "test", version: "1", tools: [{ name: "t", execute: run }], onError: () => {} },
    revisions,
  );
  const [near, far] = createInMemoryTransports();
  createServerAcceptor(server)(far);
  return create(options).connect(near);
}

interface Played {
  readonly wire: Wire;
  readonly session: ClientSession<Declarations>;
  /** Responds to the last request of the client. */
  respond(result: object): Promise<void>;
  /** Last message of the client. */
  last(): Record<string, unknown>;
}

/** A client whose server is played by the test. */
async function runTranscript(options: Options = {}): Promise<Played> {
  const wire = new Wire();
  const opening = create(options).connect(wire);
  await settle();
  const discovered = {
    supportedVersions: [statelessRevision.id],
    capabilities: { tools: {}, prompts: {}, resources: {} },
  };
  wire.post({ jsonrpc: "2.0", id: 1, result: discovered });
  const last = (): Record<string, unknown> => {
    const sent = wire.sent.at(-1);
    return isObject(sent) ? sent : {};
  };
  return {
    wire,
    session: await opening,
    last,
    async respond(result) {
      wire.post({ jsonrpc: "2.0", id: last().id, result });
      await settle();
    },
  };
}

function needs(messages: readonly string[], requestState?: string): object {
  const requests = messages.map((message) => [message, { method: "elicitation/create", params: formParams(message) }]);
  return {
    resultType: "input_required",
    inputRequests: Object.fromEntries(requests),
    ...(requestState !== undefined && { requestState }),
  };
}

const done = { resultType: "complete", content: [] };

describe("the declared input capabilities of a client (C-010, C-011, C-012)", () => {
  test.each<[string, Options, object]>([
    ["nothing", {}, {}],
    ["forms", { elicitation: form }, { elicitation: { form: {} } }],
    ["pages", { elicitation: { url: () => ({ action: "cancel" }) } }, { elicitation: { url: {} } }],
    ["no mode of elicitation", { elicitation: {} }, {}],
    ["roots", { roots: [] }, { roots: {} }],
    ["a model", { sampling: { createMessage: never } }, { sampling: {} }],
    [
      "a model with everything",
      { sampling: { tools: true, context: true, createMessage: never } },
      { sampling: { tools: {}, context: {} } },
    ],
  ])("a client declares the capabilities of its handlers: %s", async (_what, options, capabilities) => {
    const { wire, session, last } = await runTranscript(options);
    void session.callTool("t").catch(() => {});
    await settle();
    expect(last()).toMatchObject({ params: { _meta: { [meta.capabilities]: capabilities } } });
    const { params } = last();
    const { _meta } = isObject(params) ? params : {};
    expect(isObject(_meta) && _meta[meta.capabilities]).toEqual(capabilities);
    wire.end();
  });
});

describe("a client and a server", () => {
  test.each([
    ["where each request stands alone", statelessRevision],
    ["in a session", newest],
  ])("a client and a server need one call, whatever input is required, %s (C-050, A10)", async (_where, revision) => {
    const requested: string[] = [];
    const session = await connectInMemory(
      async (_args, { elicit, sample, roots, once }) => {
        const id = await once("id", () => 7);
        const [name, model] = await Promise.all([
          elicit(formParams("Name?")),
          sample({ messages: [{ role: "user", content: { type: "text", text: "4?" } }], maxTokens: 5 }),
        ]);
        return JSON.stringify([id, name, model, await roots()]);
      },
      {
        revisions: [revision],
        roots: [{ uri: "file:///a" }],
        elicitation: {
          form({ message }, { server }) {
            requested.push(`${server.info.name}: ${message}`);
            return { action: "accept", content: { a: "Ada" } };
          },
        },
        sampling: {
          createMessage: ({ maxTokens }) => ({
            role: "assistant",
            model: "m",
            content: { type: "text", text: String(maxTokens) },
          }),
        },
      },
    );
    const { content } = await session.callTool("t");
    expect(content).toEqual([
      {
        type: "text",
        text: JSON.stringify([
          7,
          { action: "accept", content: { a: "Ada" } },
          { role: "assistant", model: "m", content: { type: "text", text: "5" } },
          [{ uri: "file:///a" }],
        ]),
      },
    ]);
    expect(requested).toEqual(["test: Name?"]);
    await session.close();
  });
});

describe("the retry", () => {
  test("the retry carries its own input responses, the same params and the unchanged state, and has an id of its own (C-002, C-050, C-051, C-053)", async () => {
    const { wire, session, respond, last } = await runTranscript({ elicitation: form });
    const result = session.callTool("t", { x: 1 }, { meta: { "example.com/a": 1 } });
    await settle();
    const first = last();
    const state = ' not "JSON", é ';
    await respond(needs(["1", "2"], state));
    const second = last();
    expect(second).toMatchObject({
      method: "tools/call",
      params: {
        name: "t",
        arguments: { x: 1 },
        inputResponses: {
          1: { action: "accept", content: { a: "1" } },
          2: { action: "accept", content: { a: "2" } },
        },
        requestState: state,
        _meta: {
          "example.com/a": 1,
          [meta.version]: statelessRevision.id,
          [meta.capabilities]: { elicitation: { form: {} } },
        },
      },
    });
    expect(second.id).not.toBe(first.id);
    await respond(needs(["3"], "other"));
    expect(last()).toMatchObject({ params: { requestState: "other" } });
    const { params } = last();
    expect(isObject(params) && params.inputResponses).toEqual({ 3: { action: "accept", content: { a: "3" } } });
    await respond(done);
    expect(await result).toMatchObject({ content: [] });
    wire.end();
  });

  test("the retry has no state where there was none (C-052)", async () => {
    const { wire, session, respond, last } = await runTranscript({ elicitation: form });
    void session.callTool("t").catch(() => {});
    await settle();
    await respond(needs(["1"], "state"));
    await respond(needs(["2"]));
    expect(last().params).not.toHaveProperty("requestState");
    wire.end();
  });

  test("the retry follows after a delay where there is only a state, without input requests (C-055)", async () => {
    const clock = new ManualClock();
    const { wire, session, respond, last } = await runTranscript({ clock });
    void session.callTool("t").catch(() => {});
    await settle();
    const first = last();
    await respond({ resultType: "input_required", requestState: "s" });
    expect(last()).toBe(first);
    await clock.pass(250);
    await settle();
    expect(last()).toMatchObject({ params: { requestState: "s" } });
    expect(last().params).not.toHaveProperty("inputResponses");
    wire.end();
  });

  test("the retry of one call is independent of another call's (C-054)", async () => {
    const { wire, session } = await runTranscript({ elicitation: form });
    const results = ["a", "b"].map((name) => session.callTool(name));
    await settle();
    wire.post({ jsonrpc: "2.0", id: 2, result: needs(["of a"], "state of a") });
    wire.post({ jsonrpc: "2.0", id: 3, result: needs(["of b"], "state of b") });
    await settle();
    for (const [index, name] of ["a", "b"].entries()) {
      expect(wire.sent[3 + index]).toMatchObject({
        params: { name, requestState: `state of ${name}`, inputResponses: { [`of ${name}`]: { action: "accept" } } },
      });
      wire.post({ jsonrpc: "2.0", id: 4 + index, result: done });
    }
    await Promise.all(results);
    wire.end();
  });

  test.each([
    ["prompts", "prompts/get", (session: ClientSession<Declarations>) => session.getPrompt("p"), { messages: [] }],
    [
      "resources",
      "resources/read",
      (session: ClientSession<Declarations>) => session.readResource("a:b"),
      { contents: [], ttlMs: 0, cacheScope: "private" },
    ],
  ])("the retry is made for %s, too", async (_what, method, call, complete) => {
    const { wire, session, respond, last } = await runTranscript({ elicitation: form });
    const result = call(session);
    await settle();
    await respond(needs(["1"], "s"));
    expect(last()).toMatchObject({ method, params: { requestState: "s", inputResponses: {} } });
    await respond({ resultType: "complete", ...complete });
    expect(await result).toMatchObject(complete);
    wire.end();
  });
});

describe("a call that requires input", () => {
  test("a call fails when the server requests input without a handler; nothing more is sent", async () => {
    const { wire, session, respond, last } = await runTranscript();
    const failure = session.callTool("t").catch((error: unknown) => error);
    await settle();
    const first = last();
    await respond(needs(["1"], "s"));
    const error = await failure;
    expect(isInputRequiredError(error) && error.result).toMatchObject({ requestState: "s" });
    expect(String(error)).toContain("elicitation/create, which this client does not handle");
    expect(last()).toBe(first);
    wire.end();
  });

  test("a call fails after too many retries", async () => {
    const { wire, session, respond } = await runTranscript({ elicitation: form, maxInputRounds: 2 });
    const failure = session.callTool("t").catch((error: unknown) => error);
    await settle();
    for (const message of ["1", "2", "3"]) await respond(needs([message], message));
    expect(String(await failure)).toContain("after 2 rounds");
    expect(wire.sent).toHaveLength(4);
    wire.end();
  });

  test("a call fails when a handler fails: the other handlers are aborted", async () => {
    let reason: unknown;
    const { wire, session, respond, last } = await runTranscript({
      elicitation: {
        form: ({ message }, { signal }) => {
          if (message === "bad") throw new Error("no screen");
          return new Promise((_resolve, reject) =>
            signal.addEventListener("abort", () => {
              reason = signal.reason;
              reject(signal.reason);
            }),
          );
        },
      },
    });
    const failure = session.callTool("t").catch((error: unknown) => error);
    await settle();
    const first = last();
    await respond(needs(["slow", "bad"], "s"));
    expect(String(await failure)).toBe("Error: no screen");
    expect(String(reason)).toBe("Error: no screen");
    expect(last()).toBe(first);
    wire.end();
  });

  test("a call is aborted by its signal, also while a handler ignores the signal", async () => {
    const stop = new AbortController();
    const { wire, session, respond, last } = await runTranscript({
      elicitation: { form: () => new Promise(() => {}) },
    });
    const failure = session.callTool("t", {}, { signal: stop.signal }).catch((error: unknown) => error);
    await settle();
    const first = last();
    await respond(needs(["1"], "s"));
    stop.abort(new Error("enough"));
    expect(String(await failure)).toBe("Error: enough");
    expect(last()).toBe(first);
    wire.end();
  });

  test("a call is aborted by its signal during a retry: that request is cancelled (C-021)", async () => {
    const stop = new AbortController();
    const { wire, session, respond, last } = await runTranscript({ elicitation: form });
    const failure = session.callTool("t", {}, { signal: stop.signal }).catch((error: unknown) => error);
    await settle();
    await respond(needs(["1"], "s"));
    const { id } = last();
    stop.abort(new Error("enough"));
    expect(String(await failure)).toBe("Error: enough");
    expect(last()).toMatchObject({ method: "notifications/cancelled", params: { requestId: id } });
    wire.end();
  });

  test("a call fails when a response of a handler is invalid", async () => {
    const { wire, session, respond } = await runTranscript({
      elicitation: { form: () => ({ action: "accept", content: { b: 1 } }) },
    });
    const failure = session.callTool("t").catch((error: unknown) => error);
    await settle();
    await respond(needs(["1"], "s"));
    expect(await failure).toMatchObject({ name: "FormError" });
    wire.end();
  });

  test.each([
    ["that is no question", { a: 5 }],
    ["of an unknown kind", { a: { method: "tools/list" } }],
    ["without what belongs to it", { a: { method: "elicitation/create", params: { message: "?" } } }],
  ])("a call fails when the server requests %s", async (_what, inputRequests) => {
    const { wire, session, respond } = await runTranscript({ elicitation: form });
    const failure = session.callTool("t").catch((error: unknown) => error);
    await settle();
    await respond({ resultType: "input_required", inputRequests });
    expect(await failure).toBeInstanceOf(Error);
    wire.end();
  });
});

test("a result after input is not cached (C-061)", async () => {
  const { wire, session, respond, last } = await runTranscript({ elicitation: form });
  const complete = { resultType: "complete", contents: [], ttlMs: 60_000, cacheScope: "private" };
  for (const round of [1, 2]) {
    const result = session.readResource("a:b");
    await settle();
    expect(last()).toMatchObject({ params: { uri: "a:b" } });
    expect(last().params).not.toHaveProperty("inputResponses");
    await respond(needs(["?"], `state ${round}`));
    await respond(complete);
    await result;
  }
  wire.end();
});

test("progress continues over retries, and is requested in each of them (2.11, C-030)", async () => {
  const seen: number[] = [];
  const session = await connectInMemory(
    async (_args, { progress, elicit, log }) => {
      for (const [index, name] of ["1", "2", "3"].entries()) {
        await progress(index * 10 + 1);
        await log("info", name);
        await elicit(formParams(name));
        await progress(index * 10 + 2);
      }
      return "";
    },
    { elicitation: form, logLevel: "info", onLog: ({ data }) => void logged.push(data) },
  );
  const logged: unknown[] = [];
  await session.callTool("t", {}, { onProgress: ({ progress }: Progress) => void seen.push(progress) });
  expect(seen).toEqual([1, 2, 11, 12, 21, 22]);
  expect(logged).toEqual(["1", "2", "3"]);
  await session.close();
});

test("a caller may send the retries itself", async () => {
  const session = await connectInMemory(async (_args, { elicit }) => JSON.stringify(await elicit(formParams("?"))), {
    elicitation: form,
  });
  const first = await session.request("tools/call", { name: "t" });
  const { requestState } = first;
  if (typeof requestState !== "string") throw new Error("no request for input");
  const inputResponses = { "elicit-1": { action: "cancel" } } as const;
  expect(
    await session.request("tools/call", { name: "t", requestState, inputResponses: inputResponses }),
  ).toMatchObject({
    content: [{ text: '{"action":"cancel"}' }],
  });
  await session.close();
});

function never(): never {
  throw new Error("not to be called");
}
