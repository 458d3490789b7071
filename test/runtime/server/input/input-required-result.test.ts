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
  question,
  type Context,
  type RawClient,
  type Round,
  type Run,
} from "./raw-client.ts";

type Form = Declarations["ElicitRequestFormParams"];
type Ask = Context["elicit"];

/** A tool that may ask the user. */
function asking(run: (ask: Ask, context: Context) => Promise<unknown>): Run {
  return async (_args, context) => JSON.stringify(await run(context.elicit, context));
}

/** Answers every question with its message, until there are no more. */
async function playAll(raw: RawClient): Promise<{ readonly last: Round; readonly rounds: readonly Round[] }> {
  const rounds = [await raw.call()];
  for (let last = rounds[0]; last && last.keys.length > 0; last = rounds.at(-1)) {
    const answers = Object.entries(last.requests).map(([key, request]) => [key, accept(JSON.stringify(request))]);
    rounds.push(await raw.again(last, Object.fromEntries(answers)));
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
    const raw = connectRaw(asking((ask) => ask(question("Name?"))));
    const first = await raw.call();
    expect(first.answer).toEqual({
      resultType: "input_required",
      inputRequests: { "elicit-1": { method: "elicitation/create", params: question("Name?") } },
      requestState: expect.any(String),
      _meta: expect.any(Object),
    });
    const second = await raw.again(first, { "elicit-1": accept("Ada") });
    expect(second.answer).toMatchObject({ resultType: "complete" });
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
    const raw = connectRaw(asking((ask) => ask(Object.assign({ elicitationId: "e1", task: { ttl: 1 } }, page))));
    const { requests } = await raw.call();
    expect(requests).toEqual({ "elicit-1": { method: "elicitation/create", params: page } });
  });

  test("a handler names its input requests, or they are numbered", async () => {
    const raw = connectRaw(
      asking(async (ask) => {
        const some = [ask(question("1"), { key: "name" }), ask(question("2"), { key: "name" }), ask(question("3"))];
        return Promise.all([...some, ask(question("4"))]);
      }),
    );
    expect((await raw.call()).keys).toEqual(["name", "name-2", "elicit-1", "elicit-2"]);
  });

  test("a handler that requests inputs one after the other needs one retry for each, without repeating earlier input requests", async () => {
    const raw = connectRaw(
      asking(async (ask) => {
        const answers: unknown[] = [];
        for (const name of ["1", "2", "3"]) answers.push(await ask(question(name)));
        return answers;
      }),
    );
    const { rounds, last } = await playAll(raw);
    expect(rounds.map(({ keys }) => keys)).toEqual([["elicit-1"], ["elicit-2"], ["elicit-3"], []]);
    expect(new Set(rounds.map(({ state }) => state)).size).toBe(4);
    expect(last.text).toContain("2");
  });

  test("a handler that requests the same input twice gets two responses, in order", async () => {
    const raw = connectRaw(asking(async (ask) => [await ask(question("?")), await ask(question("?"))]));
    const first = await raw.call();
    const second = await raw.again(first, { "elicit-1": accept("x") });
    expect(second.keys).toEqual(["elicit-2"]);
    const third = await raw.again(second, { "elicit-2": accept("y") });
    expect(third.text).toBe(JSON.stringify([accept("x"), accept("y")]));
  });

  test("a handler that requests several inputs concurrently sends all of them in one result, whatever its branches await in between", async () => {
    const raw = connectRaw(
      asking((ask) => {
        const branch = async (name: string, delay: number): Promise<unknown> => {
          await new Promise((resolve) => setTimeout(resolve, delay));
          return [await ask(question(`${name}1`)), await ask(question(`${name}2`))];
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
      asking((ask, { once }) =>
        Promise.all([
          ask(question("a")),
          once("slow", () => new Promise((resolve) => setTimeout(() => resolve(1), 400))).then(() =>
            ask(question("b")),
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
      asking(async (ask, { once, log }) => {
        await log("error", "before");
        await once("step", () => within(() => log("error", "step")));
        const answer = await ask(question("?"));
        await log("error", "after");
        return answer;
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
      asking(async (ask) => {
        runs += 1;
        await ask(question("?"));
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
      asking((ask) =>
        Promise.all([
          ask(question("a")),
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
      await elicit(question("?"));
      return JSON.stringify(names);
    });
    const first = await raw.call({ name: "t", arguments: { names: ["b", "a"] } });
    expect(await raw.again(first, { "elicit-1": accept("x") })).toMatchObject({ text: '["b","a","c"]' });
  });

  test("a handler may mutate its arguments", async () => {
    const raw = connectRaw(
      asking(async (ask, { once }) => {
        const answer = await ask(question("1"));
        const list = await once("list", () => [1]);
        if (Array.isArray(list)) list.push(2);
        Object.assign(Object(answer), { action: "changed" });
        await ask(question("2"));
        return [answer, list];
      }),
    );
    const { last } = await playAll(raw);
    expect(last.text).toContain("[1,2]");
    expect(raw.reports).toEqual([]);
  });

  test.each<[string, (ask: Ask) => Promise<unknown>]>([
    ["all, and fails", (ask) => Promise.all([ask(question("1")).then(failed), ask(question("2"))]).catch(() => "done")],
    ["the first response", (ask) => Promise.race([ask(question("1")).then(() => "done"), ask(question("2"))])],
  ])(
    "a handler that sends two input requests may wait for %s, before the other response is read",
    async (_what, run) => {
      const raw = connectRaw(asking(run));
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
  const ask = async ({ elicit }: Context): Promise<string> => JSON.stringify(await elicit(question("?")));
  const definition = {
    prompts: [definePrompt({ name: "p", get: (_args, context) => ask(context) })],
    resources: [defineResource({ uri: "a:b", name: "b", read: (_uri, context) => ask(context) })],
    resourceTemplates: [
      defineResourceTemplate({ uriTemplate: "c:{d}", name: "c", read: (_variables, context) => ask(context) }),
    ],
  };

  test.each([
    ["a prompt", "prompts/get", { name: "p" }, { messages: [{ content: { text: JSON.stringify(accept("x")) } }] }],
    ["a resource", "resources/read", { uri: "a:b" }, { contents: [{ text: JSON.stringify(accept("x")) }] }],
    ["a template", "resources/read", { uri: "c:d" }, { contents: [{ text: JSON.stringify(accept("x")) }] }],
  ])("a request for input works in %s", async (_what, method, params, result) => {
    const raw = connectRaw(() => "", definition);
    const first = await raw.call(params, method);
    expect(first.answer).toMatchObject({ resultType: "input_required" });
    expect(first.answer).not.toHaveProperty("ttlMs");
    expect((await raw.again(first, { "elicit-1": accept("x") })).answer).toMatchObject(result);
  });

  test("a request for input works in no other method (S-041)", async () => {
    const raw = connectRaw(() => "", {
      ...definition,
      resourceTemplates: [
        defineResourceTemplate({
          uriTemplate: "c:{d}",
          name: "c",
          read: () => "",
          list: async (_page, context) => [{ uri: await ask(context), name: "x" }],
        }),
      ],
    });
    expect((await raw.call({}, "resources/list")).answer).toMatchObject({ error: { code: -32603 } });
    expect(raw.reports).toMatchObject([{ error: { message: expect.stringContaining("send it from a tool") } }]);
  });
});

describe("a client that retries with input responses", () => {
  const raw = (): RawClient => connectRaw(asking((ask) => Promise.all([ask(question("1")), ask(question("2"))])));

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
    const answers = {
      wrong: accept("x"),
      "elicit-1": accept("x"),
      "elicit-3": accept("z"),
      ["__proto__"]: accept("q"),
    };
    const second = await client.again(await client.call(), answers);
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
    const { answer } = await client.again(await client.call(), { "elicit-1": given, "elicit-2": accept("y") });
    expect(answer).toMatchObject({ error: { code: -32602, data: { path } } });
  });

  test("null in place of the input responses is rejected (S-049)", async () => {
    const client = raw();
    const { answer } = await client.again(await client.call(), undefined, { inputResponses: null });
    expect(answer).toMatchObject({ error: { code: -32602 } });
  });

  test.each<[string, Form["requestedSchema"]["properties"][string], object, string]>([
    ["a missing field", { type: "string" }, {}, "is required"],
    ["a choice that there was not", { type: "string", enum: ["x"] }, { a: "y" }, 'must be one of "x"'],
    ["a number that is too large", { type: "integer", maximum: 3 }, { a: 4 }, "must be at most 3"],
  ])("a form with %s is rejected, and may be sent again (S-049)", async (_what, field, content, message) => {
    const requestedSchema: Form["requestedSchema"] = { type: "object", properties: { a: field }, required: ["a"] };
    const client = connectRaw(asking((ask) => ask({ message: "?", requestedSchema })));
    const first = await client.call();
    const { answer } = await client.again(first, { "elicit-1": { action: "accept", content } });
    expect(answer).toMatchObject({ error: { code: -32602, message: expect.stringContaining(message) } });
    expect((await client.again(first, { "elicit-1": { action: "decline" } })).text).toBe('{"action":"decline"}');
  });
});

describe("a client without a capability for the input request (S-014, S-044, S-151, S-152)", () => {
  const sampling = { messages: [], maxTokens: 1 };

  test.each<[string, object, (context: Context) => Promise<unknown>, object]>([
    ["elicitation", {}, ({ elicit }) => elicit(question("?")), { elicitation: { form: {} } }],
    ["forms", { elicitation: { url: {} } }, ({ elicit }) => elicit(question("?")), { elicitation: { form: {} } }],
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
    async (_what, capabilities, ask, requiredCapabilities) => {
      const raw = connectRaw(
        asking((_elicit, context) => ask(context)),
        {},
        capabilities,
      );
      expect((await raw.call()).answer).toMatchObject({ error: { code: -32021, data: { requiredCapabilities } } });
    },
  );

  test("an empty elicitation capability declares forms", async () => {
    const raw = connectRaw(
      asking((ask) => ask(question("?"))),
      {},
      { elicitation: {} },
    );
    expect((await raw.call()).keys).toEqual(["elicit-1"]);
  });

  test("a handler may catch the error of a missing capability, which is the same at every revision", async () => {
    const raw = connectRaw(
      asking((ask) => ask(question("?")).catch((error: unknown) => (isCapabilityError(error) ? "none" : "other"))),
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
      asking(async (ask, { once }) => {
        const before = await once("number", () => ({ count: (count += 1), skipped: undefined }));
        await once("nothing", () => void (count += 10));
        await ask(question("1"));
        const after = await once("number", () => (count += 1));
        await ask(question("2"));
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
      asking(async (ask, { once }) => {
        const errors: string[] = [];
        const note = (error: unknown): void => void errors.push(String(error));
        await once("secret", fail(new Error("the password is x"))).catch(note);
        await once("tool", fail(new ToolError("no such file"))).catch(note);
        await ask(question("1"));
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
    expect((await raw.call()).answer).toMatchObject({ isError: true });
    expect(String(raw.reports[0]?.error.cause)).toContain('The step "a" failed');
  });
});

test("a handler that requests no input serves a client without capabilities", async () => {
  expect(everything).toBeDefined();
  const raw = connectRaw(() => "fine", {}, {});
  expect((await raw.call()).text).toBe("fine");
});

describe("a request for input inside of a step", () => {
  const ask = async ({ elicit }: Context): Promise<string> => (await elicit(question("Sure?"))).action;

  test.each<[string, (context: Context) => Promise<unknown>]>([
    ["at its beginning", (context) => ask(context)],
    ["inside a step of its own", (context) => context.once("inner", () => ask(context))],
  ])("a request for input inside of a step fails at once: %s", async (_where, work) => {
    const raw = connectRaw(async (_args, context) => JSON.stringify(await context.once("sign", () => work(context))));
    const { answer } = await raw.call();
    expect(answer).not.toHaveProperty("inputRequests");
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
          return ask(context);
        });
        return "signed";
      },
      { requestState: { stepTime: 20 } },
    );
    expect((await raw.call()).answer).toMatchObject({ error: { code: -32603, message: "The request is deadlocked" } });
    expect(raw.reports.map(({ error }) => String(deepest(error)))).toEqual([
      expect.stringMatching(/inside context\.once\("sign"\).*increase requestState\.stepTime/),
    ]);
  });

  test("a step beside a request for input is awaited", async () => {
    const raw = connectRaw(async (_args, context) => {
      const slow = new Promise<string>((resolve) => setTimeout(resolve, 50, "slow"));
      return (await Promise.all([context.once("slow", () => slow), ask(context)])).join();
    });
    const first = await raw.call();
    expect((await raw.again(first, { [first.keys[0] ?? ""]: accept("x") })).text).toBe("slow,accept");
    expect(raw.reports).toEqual([]);
  });
});

function deepest(error: Error): Error {
  return error.cause instanceof Error ? deepest(error.cause) : error;
}
