import { describe, expect, test } from "vitest";
import type { Declarations } from "../../../../generated/2026-07-28/index.ts";
import { isObject } from "../../../../generated/support.ts";
import { forRevisions } from "../../../../runtime/server/for-revisions.ts";
import { ToolError } from "../../../../runtime/server/errors.ts";
import { isCapabilityError } from "../../../../runtime/jsonrpc/errors.ts";
import { meta, request } from "../../../kit/messages.ts";
import {
  accept,
  connectRaw,
  everything,
  formParams,
  type Context,
  type RawClient,
  type RawCall,
  type Run,
} from "./raw-client.ts";

type Form = Declarations["ElicitRequestFormParams"];
type Elicit = Context["elicit"];

/** A tool that may ask the user. */
function eliciting(run: (elicit: Elicit, context: Context) => Promise<unknown>): Run {
  return async (_args, context) => JSON.stringify(await run(context.elicit, context));
}

/** Responds to every input request with its message, until there are no more. */
async function playAll(raw: RawClient): Promise<{ readonly last: RawCall; readonly rounds: readonly RawCall[] }> {
  const rounds = [await raw.call()];
  for (let last = rounds[0]; last && last.keys.length > 0; last = rounds.at(-1)) {
    const inputResponses = Object.entries(last.requests).map(([key, request]) => [
      key,
      accept(JSON.stringify(request)),
    ]);
    rounds.push(await raw.again(last, Object.fromEntries(inputResponses)));
  }
  const last = rounds.at(-1);
  if (!last) throw new Error("no round");
  return { last, rounds };
}

function failed(): never {
  throw new Error("declined");
}

describe("a handler that requests input", () => {
  test("a handler that requests input gives an input-required result, then its own result after the retry (S-040, S-042, S-043)", async () => {
    const raw = connectRaw(eliciting((elicit) => elicit(formParams("Name?"))));
    const first = await raw.call();
    expect(first.response).toEqual({
      resultType: "input_required",
      inputRequests: { "elicit-1": { method: "elicitation/create", params: formParams("Name?") } },
      requestState: expect.any(String),
      _meta: expect.any(Object),
    });
    const second = await raw.again(first, { "elicit-1": accept("Ada") });
    expect(second.response).toMatchObject({ resultType: "complete" });
    expect(second.text).toBe(JSON.stringify(accept("Ada")));
    expect(raw.reports).toEqual([]);
  });

  test("a handler requests sampling, elicitation and roots (S-043)", async () => {
    const raw = connectRaw(async (_args, { sample, elicit, roots }) =>
      JSON.stringify(
        await Promise.all([
          sample({ messages: [], maxTokens: 1 }),
          elicit({ mode: "url", message: "Pay", url: "https://example.com" }),
          roots(),
        ]),
      ),
    );
    const first = await raw.call();
    expect(first.requests).toEqual({
      "createMessage-1": { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } },
      "elicit-1": {
        method: "elicitation/create",
        params: { mode: "url", message: "Pay", url: "https://example.com" },
      },
      "listRoots-1": { method: "roots/list" },
    });
    const model = { role: "assistant", content: { type: "text", text: "4" }, model: "m" };
    const second = await raw.again(first, {
      "createMessage-1": model,
      "elicit-1": { action: "accept" },
      "listRoots-1": { roots: [{ uri: "file:///a" }] },
    });
    expect(second.text).toBe(JSON.stringify([model, { action: "accept" }, [{ uri: "file:///a" }]]));
  });

  test("a stateless request for input has no elicitation id and no task", async () => {
    const page = { mode: "url" as const, message: "Pay", url: "https://example.com" };
    const raw = connectRaw(
      eliciting((elicit) => elicit(Object.assign({ elicitationId: "e1", task: { ttl: 1 } }, page))),
    );
    const { requests } = await raw.call();
    expect(requests).toEqual({ "elicit-1": { method: "elicitation/create", params: page } });
  });

  test("a handler names its input requests, or they are numbered", async () => {
    const raw = connectRaw(
      eliciting(async (elicit) => {
        const some = [
          elicit(formParams("1"), { key: "name" }),
          elicit(formParams("2"), { key: "name" }),
          elicit(formParams("3")),
        ];
        return Promise.all([...some, elicit(formParams("4"))]);
      }),
    );
    expect((await raw.call()).keys).toEqual(["name", "name-2", "elicit-1", "elicit-2"]);
  });

  test("a handler that requests inputs one after the other needs one retry for each, without repeating earlier input requests", async () => {
    const raw = connectRaw(
      eliciting(async (elicit) => {
        const results: unknown[] = [];
        for (const name of ["1", "2", "3"]) results.push(await elicit(formParams(name)));
        return results;
      }),
    );
    const { rounds, last } = await playAll(raw);
    expect(rounds.map(({ keys }) => keys)).toEqual([["elicit-1"], ["elicit-2"], ["elicit-3"], []]);
    expect(new Set(rounds.map(({ state }) => state)).size).toBe(4);
    expect(last.text).toContain("2");
  });

  test("a handler that requests the same input twice gets two responses, in order", async () => {
    const raw = connectRaw(eliciting(async (elicit) => [await elicit(formParams("?")), await elicit(formParams("?"))]));
    const first = await raw.call();
    const second = await raw.again(first, { "elicit-1": accept("x") });
    expect(second.keys).toEqual(["elicit-2"]);
    const third = await raw.again(second, { "elicit-2": accept("y") });
    expect(third.text).toBe(JSON.stringify([accept("x"), accept("y")]));
  });

  test("a handler that requests several inputs concurrently sends all of them in one result, whatever its branches await in between", async () => {
    const raw = connectRaw(
      eliciting((elicit) => {
        const branch = async (name: string, delay: number): Promise<unknown> => {
          await new Promise((resolve) => setTimeout(resolve, delay));
          return [await elicit(formParams(`${name}1`)), await elicit(formParams(`${name}2`))];
        };
        return Promise.all([branch("a", 0), branch("b", 1), branch("c", 2)]);
      }),
      { requestState: { settleTime: 1_000 } },
    );
    const { rounds } = await playAll(raw);
    expect(rounds.map(({ keys }) => keys.length)).toEqual([3, 3, 0]);
  });

  test("a handler that awaits other work sends its input requests after its steps have completed", async () => {
    const raw = connectRaw(
      eliciting((elicit, { once }) =>
        Promise.all([
          elicit(formParams("a")),
          once("slow", () => new Promise((resolve) => setTimeout(() => resolve(1), 400))).then(() =>
            elicit(formParams("b")),
          ),
        ]),
      ),
      { requestState: { settleTime: 100 } },
    );
    expect((await raw.call()).keys).toEqual(["elicit-1", "elicit-2"]);
  });

  test.each<[string, (step: () => Promise<void>) => Promise<void>]>([
    ["at once", (step) => step()],
    ["later", (step) => new Promise((resolve) => setTimeout(resolve, 5)).then(step)],
  ])("messages that a step sends %s do not count as those of later calls", async (_when, within) => {
    const raw = connectRaw(
      eliciting(async (elicit, { once, log }) => {
        await log("error", "before");
        await once("step", () => within(() => log("error", "step")));
        const result = await elicit(formParams("?"));
        await log("error", "after");
        return result;
      }),
    );
    const { last } = await playAll(raw);
    expect(last.keys).toEqual([]);
    const logged = raw.wire.sent.filter(isObject).filter(({ method }) => method === "notifications/message");
    expect(logged).toMatchObject(["before", "step", "after"].map((data) => ({ params: { data } })));
  });

  test("a handler does not run again if the next request of its call is cancelled while the state is checked", async () => {
    let runs = 0;
    const raw = connectRaw(
      eliciting(async (elicit) => {
        runs += 1;
        await elicit(formParams("?"));
        runs += 10;
      }),
    );
    const { state } = await raw.call();
    const params = { name: "t", requestState: state, inputResponses: { "elicit-1": accept("x") } };
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "second" } };
    raw.wire.post(request("second", "tools/call", params, { [meta.capabilities]: everything }), cancelled);
    raw.wire.post(request("third", "tools/call", params, { [meta.capabilities]: everything }));
    await expect.poll(() => raw.wire.sent.some((message) => isObject(message) && message.id === "third")).toBe(true);
    expect(runs).toBe(12);
  });

  test("a handler that awaits untracked work starts that work again at the retry", async () => {
    let begun = 0;
    const raw = connectRaw(
      eliciting((elicit) =>
        Promise.all([
          elicit(formParams("a")),
          new Promise((resolve) => {
            begun += 1;
            setTimeout(() => resolve(begun), 80);
          }),
        ]),
      ),
    );
    const first = await raw.call();
    expect(first.keys).toEqual(["elicit-1"]);
    const second = await raw.again(first, { "elicit-1": accept("x") });
    expect(second.text).toBe(JSON.stringify([accept("x"), 2]));
  });

  test("a tool may change its arguments, in place", async () => {
    const raw = connectRaw(async (args, { elicit }) => {
      const { names }: { readonly names?: string[] } = Object(args);
      names?.push("c");
      await elicit(formParams("?"));
      return JSON.stringify(names);
    });
    const first = await raw.call({ name: "t", arguments: { names: ["b", "a"] } });
    expect(await raw.again(first, { "elicit-1": accept("x") })).toMatchObject({ text: '["b","a","c"]' });
  });

  test("a handler may mutate its arguments", async () => {
    const raw = connectRaw(
      eliciting(async (elicit, { once }) => {
        const result = await elicit(formParams("1"));
        const list = await once("list", () => [1]);
        if (Array.isArray(list)) list.push(2);
        Object.assign(Object(result), { action: "changed" });
        await elicit(formParams("2"));
        return [result, list];
      }),
    );
    const { last } = await playAll(raw);
    expect(last.text).toContain("[1,2]");
    expect(raw.reports).toEqual([]);
  });

  test.each<[string, (elicit: Elicit) => Promise<unknown>]>([
    [
      "all, and fails",
      (elicit) => Promise.all([elicit(formParams("1")).then(failed), elicit(formParams("2"))]).catch(() => "done"),
    ],
    [
      "the first response",
      (elicit) => Promise.race([elicit(formParams("1")).then(() => "done"), elicit(formParams("2"))]),
    ],
  ])(
    "a handler that sends two input requests may wait for %s, before the other response is read",
    async (_what, run) => {
      const raw = connectRaw(eliciting(run));
      const { last } = await playAll(raw);
      expect(last.text).toBe('"done"');
      expect(raw.reports).toEqual([]);
    },
  );

  test("a handler may skip an input request that it made before", async () => {
    const raw = connectRaw(() => "at once");
    expect(await raw.call()).toMatchObject({ text: "at once", state: undefined });
  });
});

describe("prompts and resources that request input (S-040)", () => {
  const { definePrompt, defineResource, defineResourceTemplate } = forRevisions<Declarations>([]);
  const execute = async ({ elicit }: Context): Promise<string> => JSON.stringify(await elicit(formParams("?")));
  const definition = {
    prompts: [definePrompt({ name: "p", get: (_args, context) => execute(context) })],
    resources: [defineResource({ uri: "a:b", name: "b", read: (_uri, context) => execute(context) })],
    resourceTemplates: [
      defineResourceTemplate({ uriTemplate: "c:{d}", name: "c", read: (_variables, context) => execute(context) }),
    ],
  };

  test.each([
    ["a prompt", "prompts/get", { name: "p" }, { messages: [{ content: { text: JSON.stringify(accept("x")) } }] }],
    ["a resource", "resources/read", { uri: "a:b" }, { contents: [{ text: JSON.stringify(accept("x")) }] }],
    ["a template", "resources/read", { uri: "c:d" }, { contents: [{ text: JSON.stringify(accept("x")) }] }],
  ])("a request for input works in %s", async (_what, method, params, result) => {
    const raw = connectRaw(() => "", definition);
    const first = await raw.call(params, method);
    expect(first.response).toMatchObject({ resultType: "input_required" });
    expect(first.response).not.toHaveProperty("ttlMs");
    expect((await raw.again(first, { "elicit-1": accept("x") })).response).toMatchObject(result);
  });

  test("a request for input works in no other method (S-041)", async () => {
    const raw = connectRaw(() => "", {
      ...definition,
      resourceTemplates: [
        defineResourceTemplate({
          uriTemplate: "c:{d}",
          name: "c",
          read: () => "",
          list: async (_page, context) => [{ uri: await execute(context), name: "x" }],
        }),
      ],
    });
    expect((await raw.call({}, "resources/list")).response).toMatchObject({ error: { code: -32603 } });
    expect(raw.reports).toMatchObject([{ error: { message: expect.stringContaining("send it from a tool") } }]);
  });
});

describe("a client that retries with input responses", () => {
  const raw = (): RawClient =>
    connectRaw(eliciting((elicit) => Promise.all([elicit(formParams("1")), elicit(formParams("2"))])));

  test("a client that sends some of the responses gets the remaining input requests again (S-048, S-050)", async () => {
    const client = raw();
    const second = await client.again(await client.call(), { "elicit-1": accept("x") });
    expect(second.keys).toEqual(["elicit-2"]);
    const third = await client.again(second, { "elicit-2": accept("y") });
    expect(third.text).toBe(JSON.stringify([accept("x"), accept("y")]));
  });

  test("a client that sends no responses gets the same input requests again (S-050)", async () => {
    const client = raw();
    expect((await client.again(await client.call())).keys).toEqual(["elicit-1", "elicit-2"]);
  });

  test("a response without an input request is ignored (S-049)", async () => {
    const client = raw();
    const inputResponses = {
      wrong: accept("x"),
      "elicit-1": accept("x"),
      "elicit-3": accept("z"),
      ["__proto__"]: accept("q"),
    };
    const second = await client.again(await client.call(), inputResponses);
    expect(second.keys).toEqual(["elicit-2"]);
  });

  test("a client that sends responses at the first call gets the input requests all the same (S-049)", async () => {
    const client = raw();
    const first = await client.call({
      name: "t",
      inputResponses: { "elicit-1": accept("x"), "elicit-2": accept("y") },
    });
    expect(first.keys).toEqual(["elicit-1", "elicit-2"]);
  });

  test.each([
    ["of another kind", { roots: [] }, "inputResponses/elicit-1/action"],
    ["of no kind", 12345, "inputResponses/elicit-1"],
    ["with a value of another type", { action: "accept", content: { a: 1 } }, "inputResponses/elicit-1/content/a"],
  ])("a response of the kind %s is rejected (S-049)", async (_what, given, path) => {
    const client = raw();
    const { response } = await client.again(await client.call(), { "elicit-1": given, "elicit-2": accept("y") });
    expect(response).toMatchObject({ error: { code: -32602, data: { path } } });
  });

  test("null in place of the input responses is rejected (S-049)", async () => {
    const client = raw();
    const { response } = await client.again(await client.call(), undefined, { inputResponses: null });
    expect(response).toMatchObject({ error: { code: -32602 } });
  });

  test.each<[string, Form["requestedSchema"]["properties"][string], object, string]>([
    ["a missing field", { type: "string" }, {}, "is required"],
    ["a choice that there was not", { type: "string", enum: ["x"] }, { a: "y" }, 'must be one of "x"'],
    ["a number that is too large", { type: "integer", maximum: 3 }, { a: 4 }, "must be at most 3"],
  ])("a form with %s is rejected, and may be sent again (S-049)", async (_what, field, content, message) => {
    const requestedSchema: Form["requestedSchema"] = { type: "object", properties: { a: field }, required: ["a"] };
    const client = connectRaw(eliciting((elicit) => elicit({ message: "?", requestedSchema })));
    const first = await client.call();
    const { response } = await client.again(first, { "elicit-1": { action: "accept", content } });
    expect(response).toMatchObject({ error: { code: -32602, message: expect.stringContaining(message) } });
    expect((await client.again(first, { "elicit-1": { action: "decline" } })).text).toBe('{"action":"decline"}');
  });
});

describe("a client without a capability for the input request (S-014, S-044, S-151, S-152)", () => {
  const sampling = { messages: [], maxTokens: 1 };

  test.each<[string, object, (context: Context) => Promise<unknown>, object]>([
    ["elicitation", {}, ({ elicit }) => elicit(formParams("?")), { elicitation: { form: {} } }],
    ["forms", { elicitation: { url: {} } }, ({ elicit }) => elicit(formParams("?")), { elicitation: { form: {} } }],
    [
      "pages",
      { elicitation: {} },
      ({ elicit }) => elicit({ mode: "url", message: "?", url: "https://a.b" }),
      { elicitation: { url: {} } },
    ],
    ["sampling", {}, ({ sample }) => sample(sampling), { sampling: {} }],
    [
      "tools of a model",
      { sampling: {} },
      ({ sample }) => sample({ ...sampling, tools: [] }),
      { sampling: { tools: {} } },
    ],
    [
      "the context of a model",
      { sampling: {} },
      ({ sample }) => sample({ ...sampling, includeContext: "thisServer" }),
      { sampling: { context: {} } },
    ],
    ["roots", {}, ({ roots }) => roots(), { roots: {} }],
  ])(
    "a client without %s gets an error with the missing capability",
    async (_what, capabilities, elicit, requiredCapabilities) => {
      const raw = connectRaw(
        eliciting((_elicit, context) => elicit(context)),
        {},
        capabilities,
      );
      expect((await raw.call()).response).toMatchObject({ error: { code: -32021, data: { requiredCapabilities } } });
    },
  );

  test("an empty elicitation capability declares forms", async () => {
    const raw = connectRaw(
      eliciting((elicit) => elicit(formParams("?"))),
      {},
      { elicitation: {} },
    );
    expect((await raw.call()).keys).toEqual(["elicit-1"]);
  });

  test("a handler may catch the error of a missing capability, which is the same at every revision", async () => {
    const raw = connectRaw(
      eliciting((elicit) =>
        elicit(formParams("?")).catch((error: unknown) => (isCapabilityError(error) ? "none" : "other")),
      ),
      {},
      { sampling: {} },
    );
    expect((await raw.call()).text).toBe('"none"');
  });
});

describe("a step", () => {
  test("a step runs once, and gives the same value at every retry (S-010)", async () => {
    let count = 0;
    const raw = connectRaw(
      eliciting(async (elicit, { once }) => {
        const before = await once("number", () => ({ count: (count += 1), skipped: undefined }));
        await once("nothing", () => void (count += 10));
        await elicit(formParams("1"));
        const after = await once("number", () => (count += 1));
        await elicit(formParams("2"));
        return [before, after, await once("nothing", () => 1)];
      }),
    );
    const { last } = await playAll(raw);
    expect(last.text).toBe(JSON.stringify([{ count: 1 }, { count: 1 }, undefined]));
    expect(count).toBe(11);
  });

  test("a step that fails rejects at every retry, and does not run again", async () => {
    let tries = 0;
    const fail = (error: Error) => (): never => {
      tries += 1;
      throw error;
    };
    const raw = connectRaw(
      eliciting(async (elicit, { once }) => {
        const errors: string[] = [];
        const note = (error: unknown): void => void errors.push(String(error));
        await once("secret", fail(new Error("the password is x"))).catch(note);
        await once("tool", fail(new ToolError("no such file"))).catch(note);
        await elicit(formParams("1"));
        return errors;
      }),
    );
    const { last, rounds } = await playAll(raw);
    expect(last.text).toBe(JSON.stringify(['StepError: The step "secret" failed', "ToolError: no such file"]));
    expect(tries).toBe(2);
    expect(atob((rounds[0]?.state ?? "").split(".")[0] ?? "")).not.toContain("password");
  });

  test.each([
    ["a function", () => 1],
    ["a big integer", 1n],
    ["NaN", Number.NaN],
    ["a date", new Date()],
    ["a map", new Map()],
    ["undefined in a list", [undefined]],
  ])("a step cannot return %s", async (_what, value) => {
    const raw = connectRaw(async (_args, { once }) => JSON.stringify(await once("a", () => ({ value }))));
    expect((await raw.call()).response).toMatchObject({ isError: true });
    expect(String(raw.reports[0]?.error.cause)).toContain('The step "a" failed');
  });
});

test("a handler that requests no input serves a client without capabilities", async () => {
  expect(everything).toBeDefined();
  const raw = connectRaw(() => "fine", {}, {});
  expect((await raw.call()).text).toBe("fine");
});

describe("a request for input inside of a step", () => {
  const execute = async ({ elicit }: Context): Promise<string> => (await elicit(formParams("Sure?"))).action;

  test.each<[string, (context: Context) => Promise<unknown>]>([
    ["at its beginning", (context) => execute(context)],
    ["inside a step of its own", (context) => context.once("inner", () => execute(context))],
  ])("a request for input inside of a step fails at once: %s", async (_where, work) => {
    const raw = connectRaw(async (_args, context) => JSON.stringify(await context.once("sign", () => work(context))));
    const { response } = await raw.call();
    expect(response).not.toHaveProperty("inputRequests");
    expect(raw.reports.map(({ error }) => String(deepest(error)))).toEqual([
      expect.stringMatching(
        /The input request was sent inside context\.once\("(sign|inner)"\).*send input requests before/,
      ),
    ]);
  });

  test("a request for input inside of a step after other work fails when nothing has happened for some time", async () => {
    const raw = connectRaw(
      async (_args, context) => {
        await context.once("sign", async () => {
          await new Promise((resolve) => setImmediate(resolve));
          return execute(context);
        });
        return "signed";
      },
      { requestState: { stepTime: 20 } },
    );
    expect((await raw.call()).response).toMatchObject({
      error: { code: -32603, message: "The request is deadlocked" },
    });
    expect(raw.reports.map(({ error }) => String(deepest(error)))).toEqual([
      expect.stringMatching(/inside context\.once\("sign"\).*increase requestState\.stepTime/),
    ]);
  });

  test("a step beside a request for input is awaited", async () => {
    const raw = connectRaw(async (_args, context) => {
      const slow = new Promise<string>((resolve) => setTimeout(resolve, 50, "slow"));
      return (await Promise.all([context.once("slow", () => slow), execute(context)])).join();
    });
    const first = await raw.call();
    expect((await raw.again(first, { [first.keys[0] ?? ""]: accept("x") })).text).toBe("slow,accept");
    expect(raw.reports).toEqual([]);
  });
});

function deepest(error: Error): Error {
  return error.cause instanceof Error ? deepest(error.cause) : error;
}
