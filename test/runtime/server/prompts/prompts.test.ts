import { describe, expect, test } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import { ToolError } from "../../../../runtime/server/errors.ts";
import { createServer, type Server } from "../../../../runtime/server/create-server.ts";
import type { AnyPrompt } from "../../../../runtime/server/any-definition.ts";
import { callServer, meta } from "../../../kit/calls.ts";
import { newest } from "../../../kit/revisions.ts";

const review: AnyPrompt = {
  name: "review",
  arguments: { code: { required: true }, language: {} },
  get: ({ code, language }) => `Review this ${language ?? "code"}: ${String(code)}`,
};

function create(...prompts: AnyPrompt[]): Server {
  return createServer({ name: "test", version: "1", prompts }, revisions);
}

function get(server: Server, params: object, revision = newest): Promise<unknown> {
  return callServer(server, revision, ["prompts/get", { ...params, ...meta(revision) }]);
}

describe.each(revisions.map((revision) => [revision.id, revision] as const))("at revision %s", (_id, revision) => {
  const server = create(review);

  test("prompts/list shows arguments in order", async () => {
    expect(await callServer(server, revision, ["prompts/list", meta(revision)])).toMatchObject({
      prompts: [{ name: "review", arguments: [{ name: "code", required: true }, { name: "language" }] }],
    });
  });

  test("the text of a prompt becomes a message of the user", async () => {
    const params = { name: "review", arguments: { code: "x", language: "C" } };
    expect(await get(server, params, revision)).toMatchObject({
      messages: [{ role: "user", content: { type: "text", text: "Review this C: x" } }],
    });
  });

  test("an unknown prompt or a missing argument is rejected (Q-04, S-120)", async () => {
    await expect(get(server, { name: "other" }, revision)).rejects.toMatchObject({ code: -32602 });
    await expect(get(server, { name: "review" }, revision)).rejects.toMatchObject({
      code: -32602,
      message: 'Missing required argument of prompt "review": code',
    });
  });
});

test("the message of a PromptError reaches the client", async () => {
  const fail = (): never => {
    throw new ToolError("There is no note 7.");
  };
  const rejection = { code: -32602, message: "There is no note 7." };
  await expect(get(create({ name: "p", get: fail }), { name: "p" })).rejects.toMatchObject(rejection);
});

test("messages and results of a prompt are sent unchanged", async () => {
  const messages = [{ role: "assistant", content: { type: "text", text: "a" } }];
  expect(await get(create({ name: "p", get: () => messages }), { name: "p" })).toEqual({ messages });
  const result = { description: "d", messages };
  expect(await get(create({ name: "p", get: async () => result }), { name: "p" })).toEqual(result);
});

describe("the description of a prompt", () => {
  const messages = [{ role: "user", content: { type: "text", text: "a" } }];

  test.each([
    ["text", "a"],
    ["messages", messages],
    ["a result", { messages }],
  ])("the description of a prompt stands in the result of a prompt that gives %s", async (_, given) => {
    const server = create({ name: "p", description: "Reviews code.", get: () => given });
    expect(await get(server, { name: "p" })).toEqual({ description: "Reviews code.", messages });
  });

  test("the description of a result replaces that of the prompt", async () => {
    const result = { description: "Reviews this code.", messages };
    const server = create({ name: "p", description: "Reviews code.", get: () => result });
    expect(await get(server, { name: "p" })).toEqual(result);
  });

  test("the description of a prompt is not sent with an input-required result", async () => {
    const revision = revisions.find(({ lifecycle }) => lifecycle !== "handshake");
    if (!revision) throw new Error("no revision to test");
    const inputRequired = { resultType: "input_required", requestState: "s" };
    const server = create({ name: "p", description: "Reviews code.", get: () => inputRequired });
    expect(await get(server, { name: "p" }, revision)).not.toHaveProperty("description");
  });
});

test("handlers receive declared arguments only, and none that is inherited (R9)", async () => {
  const seen: object[] = [];
  const server = create({ name: "p", arguments: { a: {}, toString: {} }, get: (args) => (seen.push(args), "") });
  await get(server, { name: "p", arguments: { a: "", other: "x" } });
  expect(seen).toEqual([{ a: "" }]);
  expect(Object.hasOwn(seen[0] ?? {}, "toString")).toBe(false);
});

test("another value from a prompt handler is an internal error", async () => {
  await expect(get(create({ name: "p", get: () => 7 }), { name: "p" })).rejects.toThrow('Prompt "p" returned neither');
});

test("a duplicate prompt name is rejected", () => {
  expect(() => create(review, review)).toThrow('prompts[0] and prompts[1] have the same name "review"');
});
