import { afterEach, describe, expect, test, vi } from "vitest";
import { deflate, inflate } from "../../../../runtime/framing/deflate.ts";
import { inputRequired } from "../../../../runtime/server/input/input-required.ts";
import { createRequestStates, toStateScope } from "../../../../runtime/server/input/request-state.ts";
import { emptyRecord } from "../../../../runtime/server/input/request-state-record.ts";
import { createSigner } from "../../../../runtime/server/signer.ts";
import type { AnyServerDefinition } from "../../../../runtime/server/any-definition.ts";
import { MemoryReplayStore } from "../../../../runtime/stores/replay-store.ts";
import { accept, anything, connectRaw, formParams, type Context, type RawClient, type RawCall } from "./raw-client.ts";

const key = new Uint8Array(32).fill(1);
const otherKey = new Uint8Array(32).fill(2);

function create(definition: Partial<AnyServerDefinition> = {}): RawClient {
  const run = async (_args: unknown, { elicit }: Context): Promise<string> =>
    JSON.stringify(await elicit(formParams("?")));
  return connectRaw(run, definition);
}

const given = { "elicit-1": accept("x") };
const rejected = { error: { code: -32602, data: { path: "requestState" } } };
const complete = { resultType: "complete" };

afterEach(() => {
  vi.useRealTimers();
});

describe("the request state (S-045, S-046, R49)", () => {
  test("the request state is rejected when any byte is changed", async () => {
    const states = createRequestStates(createSigner("keys", [key]), { lifetime: 60_000, maxBytes: 10_000 });
    for (const record of [emptyRecord, { ...emptyRecord, input: { inputResponses: { long: "x".repeat(2_000) } } }]) {
      const state = await states.sign("scope", record);
      expect(await states.verify("scope", state)).toEqual(record);
      for (let index = 0; index < state.length; index += 1) {
        const original = state.charCodeAt(index);
        const bytes = Array.from({ length: 255 }, (_, i) => (original + 1 + i) % 256);
        for (const byte of record === emptyRecord ? bytes : bytes.filter((_, i) => i % 32 === 0)) {
          const changed = state.slice(0, index) + String.fromCharCode(byte) + state.slice(index + 1);
          await expect(states.verify("scope", changed), `${index} ${byte}`).rejects.toMatchObject({ code: -32602 });
        }
      }
    }
  });

  test("the request state is rejected when its last character is changed to one that decodes to the same bytes", async () => {
    const states = createRequestStates(createSigner("keys", [key]), { lifetime: 60_000, maxBytes: 10_000 });
    const state = await states.sign("scope", emptyRecord);
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (const character of alphabet) {
      const changed = state.slice(0, -1) + character;
      if (changed === state) continue;
      await expect(states.verify("scope", changed)).rejects.toMatchObject({ code: -32602 });
    }
  });

  test.each([
    ["cut off", (state: string) => state.slice(0, -1)],
    ["longer", (state: string) => `${state}-TAMPERED`],
    ["empty", () => ""],
    ["of another size altogether", () => "A".repeat(3_000_000)],
    ["without its signature", (state: string) => state.split(".")[0] ?? ""],
  ])("the request state is rejected when it is %s", async (_what, change) => {
    const raw = create();
    const first = await raw.call();
    const { response } = await raw.again(first, given, { requestState: change(first.state ?? "") });
    expect(response).toMatchObject(rejected);
  });

  test.each<[string, (raw: RawClient, first: RawCall) => Promise<RawCall>]>([
    ["another tool", (raw, first) => raw.again(first, given, { name: "u" })],
    ["other arguments", (raw, first) => raw.again(first, given, { arguments: { a: 2, b: [1] } })],
    ["another method", (raw, { state }) => raw.call({ name: "t", requestState: state }, "prompts/get")],
    ["another server", (_raw, first) => create().again(first, given)],
  ])("the request state is valid for one request only: not for %s", async (_what, use) => {
    const run = async (_args: unknown, { elicit }: Context): Promise<string> =>
      JSON.stringify(await elicit(formParams("?")));
    const tools = ["t", "u"].map((name) => ({ name, inputSchema: anything, execute: run }));
    const raw = create({ tools, prompts: [{ name: "t", get: run }] });
    const first = await raw.call({ name: "t", arguments: { a: 1, b: [1] } });
    const { response } = await use(raw, first);
    expect(response).toMatchObject(rejected);
  });

  test("the request state is valid for one principal only", () => {
    const request = { revision: "r", method: "tools/call", params: { name: "t" } };
    const scopes = [undefined, "ada", "bob"].map((principal) => toStateScope({ ...request, principal }));
    expect(new Set(scopes).size).toBe(3);
  });

  test("the request state does not depend on the order of members", async () => {
    const raw = create();
    const first = await raw.call({ name: "t", arguments: { a: { c: 1, d: 2 }, b: 1 } });
    const { response } = await raw.again(first, given, { arguments: { b: 1, a: { d: 2, c: 1 } } });
    expect(response).toMatchObject(complete);
  });

  test("the request state expires, with an error of its own", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const raw = create({ requestState: { lifetime: 60_000 } });
    const first = await raw.call();
    vi.advanceTimersByTime(59_999);
    expect((await raw.again(first, given)).response).toMatchObject(complete);
    vi.advanceTimersByTime(1);
    const { response } = await raw.again(first, given);
    expect(response).toMatchObject({ error: { ...rejected.error, message: expect.stringContaining("expired") } });
  });

  test("the request state is valid at every server with the same keys, also while they are rotated", async () => {
    const first = await create({ requestState: { keys: [key] } }).call();
    expect((await create({ requestState: { keys: [otherKey, key] } }).again(first, given)).response).toMatchObject(
      complete,
    );
    expect((await create({ cursorKeys: [key] }).again(first, given)).response).toMatchObject(complete);
    expect((await create({ requestState: { keys: [otherKey] } }).again(first, given)).response).toMatchObject(rejected);
  });

  test.each([[[]], [[new Uint8Array(31)]]])("the request state needs keys of 32 bytes", (keys) => {
    expect(() => create({ requestState: { keys } })).toThrow(
      "requestState.keys requires at least one key with 32 random bytes",
    );
  });

  test("the request state is bounded: a larger one fails with an error", async () => {
    const raw = connectRaw(
      async (_args, { once, elicit }) => {
        await once("large", () => "x".repeat(5_000));
        return JSON.stringify(await elicit(formParams("?")));
      },
      { requestState: { maxBytes: 4_000 } },
    );
    expect((await raw.call()).response).toMatchObject({ error: { code: -32603 } });
    expect(String(raw.reports[0]?.error.message)).toContain("of at most 4000");
  });

  describe("single use of the request state (S-047)", () => {
    const used = { error: { ...rejected.error, message: expect.stringContaining("has not been used") } };

    test("a single-use request state is rejected the second time, also by another server with the same store", async () => {
      const requestState = { keys: [key], replays: new MemoryReplayStore() };
      const raw = create({ requestState });
      const first = await raw.call();
      const second = await raw.call();
      expect((await raw.again(first, given)).response).toMatchObject(complete);
      expect((await raw.again(first, given)).response).toMatchObject(used);
      expect((await create({ requestState }).again(first, given)).response).toMatchObject(used);
      expect((await raw.again(second, given)).response).toMatchObject(complete);
    });

    test("a single-use request state is used up by invalid responses, and by one of two concurrent requests", async () => {
      const raw = create({ requestState: { keys: [key], replays: new MemoryReplayStore() } });
      const first = await raw.call();
      await raw.again(first, { "elicit-1": { action: "accept", content: { a: 5 } } });
      expect((await raw.again(first, given)).response).toMatchObject(used);
      const next = await raw.call();
      const both = await Promise.all([raw.again(next, given), raw.again(next, given)]);
      // Which of them comes first is up to the cryptography of the platform.
      const isRejected = (response: unknown): number => Number("error" in Object(response));
      const responses = both.map(({ response }) => response).sort((a, b) => isRejected(a) - isRejected(b));
      expect(responses).toMatchObject([complete, used]);
    });

    test("a single-use request state without a unique id is rejected", async () => {
      const first = await create({ requestState: { keys: [key] } }).call();
      const raw = create({ requestState: { keys: [key], replays: new MemoryReplayStore() } });
      expect((await raw.again(first, given)).response).toMatchObject(used);
    });

    test("a single-use request state is rejected when the store is full", async () => {
      const raw = create({ requestState: { replays: new MemoryReplayStore({ maxKeys: 1 }) } });
      const [first, second] = [await raw.call(), await raw.call()];
      expect((await raw.again(first, given)).response).toMatchObject(complete);
      expect((await raw.again(second, given)).response).toMatchObject({ error: { code: -32603 } });
      expect(raw.reports.map(({ error }) => error.message)).toEqual([expect.stringContaining("increase maxKeys")]);
    });
  });

  test("a long request state is compressed", async () => {
    const raw = connectRaw(async (_args, { once, elicit }) => {
      const text = await once("large", () => "x".repeat(50_000));
      return `${text.length} ${(await elicit(formParams("?"))).action}`;
    });
    const first = await raw.call();
    expect(first.state?.length).toBeLessThan(2_000);
    expect((await raw.again(first, given)).text).toBe("50000 accept");
  });
});

test("inflating stops at the size limit", async () => {
  const packed = await deflate(new Uint8Array(1_000_000));
  if (!packed) throw new Error("this platform cannot compress");
  expect(packed.length).toBeLessThan(5_000);
  expect((await inflate(packed, 1_000_000))?.length).toBe(1_000_000);
  expect(await inflate(packed, 999_999)).toBeUndefined();
  expect(await inflate(new Uint8Array([1, 2, 3]), 100)).toBeUndefined();
});

describe("a handler that takes another path than before", () => {
  test("a handler that takes another path at the retry is reported to the author and to the client", async () => {
    let count = 0;
    const raw = connectRaw(async (_args, { elicit }) => {
      count += 1;
      return JSON.stringify(await elicit(formParams(`Pay ${count} coins?`)));
    });
    const { response } = await raw.again(await raw.call(), given);
    expect(response).toMatchObject({ error: { code: -32603, message: expect.stringContaining("not reproducible") } });
    expect(String(raw.reports[0]?.error.cause)).toContain('did not repeat its previous input requests ("elicit-1")');
  });

  test("a handler that takes another path and returns is reported as well", async () => {
    let count = 0;
    const raw = connectRaw(async (_args, { elicit }) => {
      count += 1;
      return count === 1 ? JSON.stringify(await elicit(formParams("?"))) : "done";
    });
    expect((await raw.again(await raw.call(), given)).response).toMatchObject({ error: { code: -32603 } });
  });
});

describe("a suspended handler", () => {
  test("a suspended handler has its signal aborted, and its later calls have no effect", async () => {
    const log: string[] = [];
    const raw = connectRaw(
      async (_args, { elicit, once, signal, progress }) => {
        signal.addEventListener("abort", () => {
          log.push("aborted");
          void once("late", () => log.push("late step"));
          void elicit(formParams("late"));
          void progress(1);
        });
        try {
          return JSON.stringify(await elicit(formParams("?")));
        } catch {
          log.push("caught");
          return "";
        } finally {
          log.push("finally");
        }
      },
      { requestState: { settleTime: 0 } },
    );
    const first = await raw.call();
    await expect.poll(() => log).toEqual(["aborted"]);
    expect(first.keys).toEqual(["elicit-1"]);
    await raw.again(first, given);
    expect(log).toEqual(["aborted", "finally"]);
    expect(raw.wire.sent).toHaveLength(2);
  });

  test("the later calls of a synchronous handler have no effect either", async () => {
    const log: string[] = [];
    const contexts: Context[] = [];
    const raw = connectRaw((_args, context) => {
      contexts.push(context);
      return "done";
    });
    const first = await raw.call();
    for (const { elicit, once, progress, signal } of contexts) {
      void once("late", () => log.push("late step"));
      void elicit(formParams("late")).then(() => log.push("late response"));
      await progress(1);
      expect(signal.aborted).toBe(false);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(first.text).toBe("done");
    expect(contexts).toHaveLength(1);
    expect(log).toEqual([]);
    expect(raw.wire.sent).toHaveLength(1);
  });

  test("a suspended handler may reject by its signal without an unhandled rejection", async () => {
    const raw = connectRaw(async (_args, { elicit, signal }) => {
      const work = new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      return JSON.stringify(await Promise.race([work, elicit(formParams("?"))]));
    });
    const first = await raw.call();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await raw.again(first, given)).text).toBe(JSON.stringify(accept("x")));
    expect(raw.reports).toEqual([]);
  });
});

describe("a handler that returns the input requests", () => {
  const run = (_args: unknown, context: Context): unknown => {
    const { inputResponses, requestState } = context;
    if (!inputResponses) {
      const params = formParams("Name?");
      return inputRequired({
        inputRequests: { name: { method: "elicitation/create", params } },
        requestState: "mine",
      });
    }
    return JSON.stringify([inputResponses, requestState]);
  };

  test("a handler that returns input requests receives the responses and its own state (S-042, S-043)", async () => {
    const raw = connectRaw(run);
    const first = await raw.call();
    expect(first.requests).toEqual({ name: { method: "elicitation/create", params: formParams("Name?") } });
    const second = await raw.again(first, { name: accept("Ada"), other: accept("x") });
    expect(second.text).toBe(JSON.stringify([{ name: accept("Ada") }, "mine"]));
    const { response } = await raw.again(first, { name: { action: "accept", content: { a: 1 } } });
    expect(response).toMatchObject({ error: { code: -32602, data: { path: "inputResponses/name/content/a" } } });
  });

  test.each([
    ["of an unknown kind", { a: { method: "tools/list" } }],
    ["without what belongs to it", { a: { method: "elicitation/create", params: { message: "?" } } }],
  ])("a handler cannot return the input request %s (S-141)", async (_what, inputRequests) => {
    const raw = connectRaw(() => inputRequired({ inputRequests }));
    expect((await raw.call()).response).toMatchObject({ error: { code: -32603 } });
  });

  test("a handler cannot return an input request that the client has no capability for (S-044)", async () => {
    const raw = connectRaw(run, {}, { sampling: {} });
    expect((await raw.call()).response).toMatchObject({ error: { code: -32021 } });
  });

  test("a handler cannot return an empty set of input requests", () => {
    expect(() => inputRequired({})).toThrow("inputRequests, requestState or both");
  });
});
