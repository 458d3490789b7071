import { describe, expect, test } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import { completeFrom } from "../../../../runtime/server/completions/complete-from.ts";
import { ToolError } from "../../../../runtime/server/errors.ts";
import type { Complete } from "../../../../runtime/server/protocol-types.ts";
import { createServer, type Server } from "../../../../runtime/server/create-server.ts";
import { callServer, meta } from "../../../kit/calls.ts";

const names = Array.from({ length: 150 }, (_value, index) => `name${index}`);

function create(complete: Complete): Server {
  return createServer(
    {
      name: "test",
      version: "1",
      resources: [{ uri: "a://b", name: "b", read: () => "" }],
      resourceTemplates: [
        { uriTemplate: "user://{name}/{id}", name: "user", complete: { name: complete }, read: () => "" },
      ],
      prompts: [{ name: "greet", arguments: { name: { complete }, tone: {} }, get: () => "" }],
    },
    revisions,
  );
}

const prompt = { type: "ref/prompt", name: "greet" };
const template = { type: "ref/resource", uri: "user://{name}/{id}" };

describe.each(revisions.map((revision) => [revision.id, revision] as const))("at revision %s", (_id, revision) => {
  const request = (server: Server, params: object): Promise<unknown> =>
    callServer(server, revision, ["completion/complete", { ...params, ...meta(revision) }]);
  const startsWith: Complete = (value) => names.filter((name) => name.startsWith(value));

  test.each([
    ["prompt arguments", prompt],
    ["template variables", template],
  ])("%s are completed with at most 100 values (K-02, S-130)", async (_name, ref) => {
    const server = create(startsWith);
    expect(await request(server, { ref, argument: { name: "name", value: "name14" } })).toMatchObject({
      completion: { values: ["name14", ...names.slice(140)], total: 11, hasMore: false },
    });
    expect(await request(server, { ref, argument: { name: "name", value: "" } })).toMatchObject({
      completion: { values: names.slice(0, 100), total: 150, hasMore: true },
    });
  });

  test.each([
    ["an argument without suggestions", { ref: prompt, argument: { name: "tone", value: "" } }],
    ["a variable without suggestions", { ref: template, argument: { name: "id", value: "" } }],
    ["a fixed resource", { ref: { type: "ref/resource", uri: "a://b" }, argument: { name: "x", value: "" } }],
  ])("a completion of %s gives an empty list", async (_name, params) => {
    expect(await request(create(startsWith), params)).toMatchObject({
      completion: { values: [], total: 0, hasMore: false },
    });
  });

  test.each([
    ["prompt", { ref: { type: "ref/prompt", name: "other" }, argument: { name: "name", value: "" } }],
    ["prompt argument", { ref: prompt, argument: { name: "toString", value: "" } }],
    ["template", { ref: { type: "ref/resource", uri: "user://{id}" }, argument: { name: "id", value: "" } }],
    ["template variable", { ref: template, argument: { name: "other", value: "" } }],
  ])("the completion of an unknown %s is rejected (K-05)", async (_name, params) => {
    await expect(request(create(startsWith), params)).rejects.toMatchObject({ code: -32602 });
  });

  test("a completion function may report more values than it sends (K-02)", async () => {
    const server = create(async () => ({ values: ["a"], total: 1_000 }));
    expect(await request(server, { ref: prompt, argument: { name: "name", value: "" } })).toMatchObject({
      completion: { values: ["a"], total: 1_000, hasMore: true },
    });
    const vague = create(async () => ({ values: ["a"], hasMore: true }));
    const response = await request(vague, { ref: prompt, argument: { name: "name", value: "" } });
    expect(response).toMatchObject({ completion: { values: ["a"], hasMore: true } });
    expect(JSON.stringify(response)).not.toContain("total");
  });

  test("a completion whose values do not fit has more, also if the function has no others (K-02)", async () => {
    const values = Array.from({ length: 150 }, (_, index) => String(index));
    const server = create(async () => ({ values, hasMore: false }));
    expect(await request(server, { ref: prompt, argument: { name: "name", value: "" } })).toMatchObject({
      completion: { values: values.slice(0, 100), total: 150, hasMore: true },
    });
  });

  test("the message of a ToolError in a completion function reaches the client", async () => {
    const server = create(() => Promise.reject(new ToolError("No names today.")));
    const pending = request(server, { ref: template, argument: { name: "name", value: "" } });
    await expect(pending).rejects.toMatchObject({ code: -32602, message: "No names today." });
  });

  test("a completion function receives the arguments that are settled, where the revision has them (K-04)", async () => {
    const server = create((value, context) => [`${context.arguments.tone ?? "no tone"} ${value}`]);
    const context = { arguments: { tone: "warm" } };
    const isKnown = revision.knownMembers.includes("CompleteRequest.params.context");
    expect(isKnown).toBe(revision.id >= "2025-06-18");
    expect(await request(server, { ref: prompt, argument: { name: "name", value: "A" }, context })).toMatchObject({
      completion: { values: [isKnown ? "warm A" : "no tone A"] },
    });
  });
});

describe("suggestions from a list (K-06)", () => {
  const complete = completeFrom(["Gold", "dark gold", "Goldenrod", "green", "Glow red", "blue"]);
  test.each([
    ["", ["Gold", "dark gold", "Goldenrod", "green", "Glow red", "blue"]],
    ["gold", ["Gold", "Goldenrod", "dark gold"]],
    ["GR", ["green", "Goldenrod", "Glow red"]],
    ["dgd", ["dark gold"]],
    ["x", []],
  ])("suggestions from a list for %j begin with the best match (K-02)", async (typed, expected) => {
    expect(await complete(typed, { arguments: {}, signal: new AbortController().signal })).toEqual(expected);
  });
});
