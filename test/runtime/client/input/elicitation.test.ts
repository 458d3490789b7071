import { describe, expect, test } from "vitest";
import { isFormError } from "../../../../runtime/client/errors.ts";
import { createElicitation } from "../../../../runtime/client/input/elicitation.ts";
import type { AnyElicitationOption } from "../../../../runtime/client/protocol-types.ts";
import { runTranscript } from "../../../../runtime/testing/transcript.ts";
import { openSession, type RawServer, type WiredSession } from "../session/session-wire.ts";

const requestedSchema = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 2 },
    colour: { type: "string", enum: ["red", "blue"], default: "red" },
    age: { type: "integer" },
  },
  required: ["name"],
};
const form = { message: "Who are you?", requestedSchema };
const page = { mode: "url", message: "Sign in", elicitationId: "e1", url: "https://example.org/in" };

function open(elicitation: AnyElicitationOption, server?: RawServer): Promise<WiredSession> {
  return openSession({ elicitation }, server);
}

function elicit(params: object, id = 7): readonly [">", object] {
  return [">", { id, method: "elicitation/create", params }];
}

const older = { revision: "2025-06-18" };

describe("modes of elicitation (E-01)", () => {
  const handler = (): object => ({ action: "cancel" });
  test.each([
    ["a form", { form: handler }, {}, { form: {} }],
    ["a page", { url: handler }, {}, { url: {} }],
    ["both", { form: handler, url: handler }, {}, { form: {}, url: {} }],
    ["neither", {}, {}, undefined],
  ])("modes are declared by the handlers that are given: %s", async (_, elicitation, server, declared) => {
    const wired = await open(elicitation, server);
    expect(wired.declared).toEqual(declared ? { elicitation: declared } : {});
  });

  test.each([
    ["forms only, before there were modes", { form: handler, url: handler }, "2025-06-18", { elicitation: {} }],
    ["nothing for a page, before there were modes", { url: handler }, "2025-06-18", {}],
    ["nothing before there was elicitation", { form: handler, url: handler }, "2025-03-26", {}],
  ])("modes are declared by the handlers that are given: %s", async (_, elicitation, revision, declared) => {
    const { revisionOf } = await import("../../../kit/revisions.ts");
    const wired = await openSession({ elicitation, revisions: [revisionOf(revision)] }, { revision });
    expect(wired.declared).toEqual(declared);
  });
});

describe("a form", () => {
  test("a form returns the content of the user, and the defaults of other fields (E-08, E-09, C-092)", async () => {
    const seen: unknown[] = [];
    const { wire } = await open({
      form(params, { server, check }) {
        seen.push(params, server.info, check({ name: "x" }), check({ name: "xy" }));
        return { action: "accept", content: { name: "xy" } };
      },
    });
    await runTranscript(wire, [
      elicit(form),
      ["<", { id: 7, result: { action: "accept", content: { name: "xy", colour: "red" } } }],
    ]);
    const tooShort = [{ path: ["name"], message: "must have at least 2 characters" }];
    expect(seen).toEqual([form, { name: "server", version: "2" }, tooShort, []]);
  });

  test.each(["decline", "cancel"])(
    "a form that the user does not fill in gives %s, without content (E-09)",
    async (action) => {
      const { wire } = await open({ form: () => ({ action, content: { name: "xy" } }) });
      await runTranscript(wire, [elicit({ ...form, mode: "form" }), ["<", { id: 7, result: { action } }]]);
    },
  );

  test.each([
    ["a missing field", {}, "name: is required"],
    ["a wrong value", { name: "xy", colour: "green" }, 'colour: must be one of "red", "blue"'],
    ["a value too many", { name: "xy", secret: "s" }, "secret: was not requested"],
  ])(
    "a form with %s is not sent: the program receives the problem, the server an error only (E-10, C-093)",
    async (_, content, why) => {
      const { wire, reports } = await open({ form: () => ({ action: "accept", content }) });
      await runTranscript(wire, [elicit(form), ["<", { id: 7, error: { code: -32603, message: "Internal error" } }]]);
      const [report] = reports;
      expect(isFormError(report?.error)).toBe(true);
      expect(report?.error.message).toContain(why);
    },
  );

  test("a form with other than primitive fields is rejected (E-07)", async () => {
    const { wire } = await open({ form: () => ({ action: "cancel" }) });
    const nested = { type: "object", properties: { a: { type: "object", properties: {} } } };
    await runTranscript(wire, [
      elicit({ message: "m", requestedSchema: nested }),
      ["~", { id: 7, error: { code: -32602 } }],
    ]);
  });

  test("a form that the server cancels aborts the handler (C-02)", async () => {
    let signal: AbortSignal | undefined;
    const { wire } = await open({
      form: (_, context) => {
        signal = context.signal;
        return new Promise(() => {});
      },
    });
    await runTranscript(wire, [elicit(form), [">", { method: "notifications/cancelled", params: { requestId: 7 } }]]);
    expect(signal?.aborted).toBe(true);
  });

  test("a form works the same at revisions without modes (E-06, C-091)", async () => {
    const { wire } = await open({ form: () => ({ action: "accept", content: { name: "xy" } }) }, older);
    await runTranscript(wire, [
      elicit(form),
      ["<", { id: 7, result: { action: "accept", content: { name: "xy", colour: "red" } } }],
    ]);
  });
});

describe("a response of a handler", () => {
  test.each([undefined, "accept", { action: "sleep" }])(
    "a response that is no result of an elicitation is an error of the handler: %j",
    async (response) => {
      const { wire, reports } = await open({ form: () => response, url: () => response });
      const error = { code: -32603, message: "Internal error" };
      await runTranscript(wire, [elicit(form), ["<", { id: 7, error }], elicit(page, 8), ["<", { id: 8, error }]]);
      expect(reports).toHaveLength(2);
    },
  );

  test.each([undefined, "content"])("a response without content has the defaults: %j", async (content) => {
    const { wire } = await open({ form: () => ({ action: "accept", content }) });
    const optional = { ...requestedSchema, required: [] };
    await runTranscript(wire, [
      elicit({ ...form, requestedSchema: optional }),
      ["<", { id: 7, result: { action: "accept", content: { colour: "red" } } }],
    ]);
  });
});

describe("interactions that a call requires", () => {
  const complete = (elicitation: ReturnType<typeof createElicitation>, ids: readonly unknown[]): void => {
    for (const elicitationId of ids) elicitation.complete({ elicitationId });
  };

  test("interactions are remembered up to 1000, the oldest are dropped", () => {
    const completed: string[] = [];
    const elicitation = createElicitation({ completed: (id) => completed.push(id) });
    elicitation.expect(Array.from({ length: 1_001 }, (_, index) => ({ elicitationId: `e${index}` })));
    complete(elicitation, ["e0", "e1", "e1000", "e1"]);
    expect(completed).toEqual(["e1", "e1000"]);
  });

  test.each([undefined, "e1", { elicitationId: "e1" }, ["e1", null, { elicitationId: 1 }, {}]])(
    "interactions without an id are not remembered: %j",
    (elicitations) => {
      const completed: string[] = [];
      const elicitation = createElicitation({ completed: (id) => completed.push(id) });
      elicitation.expect(elicitations);
      complete(elicitation, ["e1", 1, undefined]);
      elicitation.complete(undefined);
      expect(completed).toEqual([]);
    },
  );

  test("interactions may complete without a listener", () => {
    const elicitation = createElicitation({});
    elicitation.expect([{ elicitationId: "e1" }]);
    expect(elicitation.complete({ elicitationId: "e1" })).toBeUndefined();
  });
});

describe("modes that were not declared (E-16)", () => {
  test.each([
    ["a page", { form: () => ({ action: "cancel" }) }, page, "url"],
    ["a form", { url: () => ({ action: "cancel" }) }, form, "form"],
  ])("a mode that was not declared is rejected: %s", async (_, elicitation, params, mode) => {
    const { wire } = await open(elicitation);
    const error = { code: -32602, message: `Elicitation mode ${mode} is not supported by this client`, data: { mode } };
    await runTranscript(wire, [elicit(params), ["<", { id: 7, error }]]);
  });

  test("elicitation is an unknown method at a revision without modes if only pages are shown (E-01)", async () => {
    const { wire } = await open({ url: () => ({ action: "cancel" }) }, older);
    await runTranscript(wire, [elicit(form), ["~", { id: 7, error: { code: -32601 } }]]);
  });

  test("elicitation without any handler is an unknown method (E-01)", async () => {
    const { wire } = await open({});
    await runTranscript(wire, [elicit(form), ["~", { id: 7, error: { code: -32601 } }]]);
  });
});

describe("a URL elicitation", () => {
  const url = (): object => ({ action: "accept", content: { never: "sent" } });

  test("a URL elicitation is opened with consent, and has no content (E-09, E-12)", async () => {
    const { wire } = await open({ url });
    await runTranscript(wire, [elicit(page), ["<", { id: 7, result: { action: "accept" } }]]);
  });

  test.each([
    "not a url",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "data:text/html,hi",
    "vscode://command",
    "ftp://example.com/",
    "xhttp://example.com/",
    "http+x://example.com/",
    "https://example.com/\u0001",
    "https://example.com/\n--flag",
    " https://example.com/",
  ])("a URL elicitation needs a valid web address, which %j is not (E-11, R57)", async (text) => {
    const shown: unknown[] = [];
    const { wire } = await open({ url: (params) => (shown.push(params), { action: "accept" }) });
    await runTranscript(wire, [
      elicit({ ...page, url: text }),
      ["~", { id: 7, error: { code: -32602, data: { path: "url", expected: "a valid http or https URL" } } }],
    ]);
    expect(shown).toEqual([]);
  });

  test("a URL elicitation may be an http address", async () => {
    const { wire } = await open({ url });
    await runTranscript(wire, [
      elicit({ ...page, url: "http://localhost/in" }),
      ["<", { id: 7, result: { action: "accept" } }],
    ]);
  });

  test.each(["decline", "cancel"])("a URL elicitation does not complete after %s", async (action) => {
    const completed: string[] = [];
    const { wire } = await open({ url: () => ({ action }), completed: (id) => completed.push(id) });
    await runTranscript(wire, [
      elicit(page),
      ["<", { id: 7, result: { action } }],
      [">", { method: "notifications/elicitation/complete", params: { elicitationId: "e1" } }],
    ]);
    expect(completed).toEqual([]);
  });

  test("a URL elicitation completes once by notification; other ids are ignored (E-13, E-14)", async () => {
    const completed: string[] = [];
    const { wire } = await open({ url, completed: (id) => completed.push(id) });
    const complete = (elicitationId: string): readonly [">", object] => [
      ">",
      { method: "notifications/elicitation/complete", params: { elicitationId } },
    ];
    await runTranscript(wire, [
      complete("e1"),
      elicit(page),
      ["~", { id: 7, result: {} }],
      complete("other"),
      complete("e1"),
      complete("e1"),
    ]);
    expect(completed).toEqual(["e1"]);
  });

  test("a URL elicitation may be required by a call: its id is that of the error (E-14, E-15)", async () => {
    const completed: string[] = [];
    const { wire, session } = await open({ url, completed: (id) => completed.push(id) });
    const calling = session.callTool("x");
    calling.catch(() => {});
    const error = { code: -32042, message: "Sign in first", data: { elicitations: [page] } };
    await runTranscript(wire, [
      ["~", { id: 2, method: "tools/call" }],
      [">", { id: 2, error }],
      [">", { method: "notifications/elicitation/complete", params: { elicitationId: "e1" } }],
    ]);
    await expect(calling).rejects.toMatchObject(error);
    expect(completed).toEqual(["e1"]);
  });
});
