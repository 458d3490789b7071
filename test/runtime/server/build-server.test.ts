import { describe, expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { SetupError } from "../../../runtime/jsonrpc/errors.ts";
import type { AnyServerDefinition, AnyTool } from "../../../runtime/server/any-definition.ts";
import { buildServer } from "../../../runtime/server/build-server.ts";
import { allFeatures, createServer, type Server } from "../../../runtime/server/create-server.ts";
import { sortFeatures, type Feature } from "../../../runtime/server/feature.ts";
import { input, sessionInput, statelessInput } from "../../../runtime/server/input/feature.ts";
import { createServerAcceptor } from "../../../runtime/server/run/acceptor.ts";
import { Wire } from "../../../runtime/testing/wire.ts";
import { callServer } from "../../kit/calls.ts";
import { meta, request } from "../../kit/messages.ts";
import { newest } from "../../kit/revisions.ts";
import { open } from "./connected.ts";
import { everything, formParams, type Run } from "./input/raw-client.ts";

const definition: AnyServerDefinition = {
  name: "test",
  version: "1",
  subscribe: true,
  tools: [{ name: "t", execute: () => "", task: true }],
  resources: [{ uri: "a://b", name: "b", read: () => "" }],
  prompts: [{ name: "p", arguments: { a: { complete: () => [] } }, get: () => "" }],
};

function build(features: readonly Feature[], more: Partial<AnyServerDefinition> = {}): Server {
  return buildServer({ ...definition, ...more }, revisions, { ...allFeatures, features });
}

test("a server may change after its capabilities were read, until it is served", async () => {
  const server = createServer({ name: "test", version: "1" }, revisions);
  const steps: string[] = [];
  expect(server.implement(newest).capabilities).not.toHaveProperty("tools");
  server.tools.add({ name: "t", execute: () => "" });
  server.use(({ method }, next) => (steps.push(method), next()));
  expect(server.implement(newest).capabilities).toHaveProperty("tools");
  await callServer(server, newest, ["tools/call", { name: "t" }]);
  expect(steps).toEqual(["tools/call"]);
});

describe("features", () => {
  const plain = (name: string, more: Partial<Feature> = {}): Feature => ({ name, ...more });

  test("features that provide the same part of a server are rejected by name", () => {
    const both = [...allFeatures.features, sessionInput];
    const message = "createInput is provided by the features inputRequests and clientRequests; use one of them";
    expect(() => build(both)).toThrow(new SetupError(message));
    const describing = (name: string): Feature => plain(name, { describeTool: () => ({}) });
    expect(() => build([describing("a"), describing("b")], bare)).toThrow(
      "describeTool is provided by the features a and b; use one of them",
    );
  });

  test("features that share one value of a part are accepted", () => {
    const support = { extend: () => revisions, guard: (handlers: object) => handlers };
    expect(() =>
      build(
        ["a", "b"].map((name) => plain(name, { extensionSupport: support })),
        bare,
      ),
    ).not.toThrow();
  });

  test.each(revisions.map((revision) => [revision.id, revision] as const))(
    "features have the same handlers in any order at revision %s",
    (id) => {
      const read = (server: Server): readonly unknown[] => {
        const revision = server.revisions.find((candidate) => candidate.id === id) ?? newest;
        const { handlers, capabilities } = server.implement(revision);
        return [Object.keys(handlers).sort(), capabilities];
      };
      expect(read(build(allFeatures.features.toReversed()))).toEqual(read(build(allFeatures.features)));
    },
  );

  test.each([
    ["resources", "completions"],
    ["prompts", "completions"],
    ["tasks", "taskExtension"],
    ["resources", "listening"],
    ["taskExtension", "listening"],
    ["apps", "methods"],
  ])("features are sorted: %s before %s", (first, second) => {
    for (const features of [allFeatures.features, allFeatures.features.toReversed()]) {
      const names = sortFeatures(features).map(({ name }) => name);
      expect(names.indexOf(first)).toBeLessThan(names.indexOf(second));
    }
    expect(sortFeatures(allFeatures.features)).toEqual(allFeatures.features);
  });

  test("features are implemented before their followers", () => {
    const handlers = { listPrompts: () => ({ prompts: [] }) };
    expect(() => build(allFeatures.features.toReversed(), { handlers })).toThrow(
      "handlers.listPrompts is already served by another member of the definition; remove one",
    );
  });

  test("features bring the requests to clients with a session", async () => {
    const ping = newest.serverRequests.ping ?? expect.unreachable();
    const requesting = await open(build([sessionInput], bare));
    expect(await requesting.connection.request(ping, {})).toEqual({});
    const plainly = await open(build([], bare));
    await expect(plainly.connection.request(ping, {})).rejects.toThrow("without requests to the peer; ping");
    await Promise.all([requesting.client.close(), plainly.client.close()]);
  });

  test.each([input, statelessInput])(
    "the feature $name requires input in a result at a revision without sessions",
    async (one) => {
      const ask = tool((_args, { elicit }) => elicit(formParams("Name?")).then(JSON.stringify));
      const wire = new Wire();
      createServerAcceptor(build([one], { ...bare, tools: [ask] }))(wire);
      wire.post(request(1, "tools/call", { name: "t" }, { [meta.capabilities]: everything }));
      const result = { resultType: "input_required", inputRequests: { "elicit-1": { method: "elicitation/create" } } };
      await expect.poll(() => wire.sent.at(-1), { timeout: 60_000 }).toMatchObject({ id: 1, result });
    },
  );

  test("features that follow each other are rejected", () => {
    const circle = [plain("a", { follows: ["b"] }), plain("b", { follows: ["a"] })];
    expect(() => build(circle, bare)).toThrow("The feature a follows itself; change its order");
  });
});

/** The tool `t`, whose handler knows its context. */
function tool(execute: Run): AnyTool {
  return { name: "t", execute };
}

/** Definition without members that need a feature. */
const bare: Partial<AnyServerDefinition> = { tools: [], resources: [], prompts: [] };
