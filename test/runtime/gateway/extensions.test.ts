import { afterEach, describe, expect, test } from "vitest";
import { extension as skills } from "../../../generated/extensions/skills/index.ts";
import { extension as tasks } from "../../../generated/extensions/tasks/index.ts";
import { extension as ui } from "../../../generated/extensions/ui/index.ts";
import { revisions } from "../../../generated/revisions.ts";
import { isObject, type Revision } from "../../../generated/support.ts";
import type { ClientConnection } from "../../../runtime/client/connect.ts";
import { knownExtensions } from "../../../runtime/gateway/extensions.ts";
import { createGateway, type Gateway, type GatewayOptions } from "../../../runtime/gateway/gateway.ts";
import { extendRevisions } from "../../../runtime/protocol/revision/extend-revisions.ts";
import type { ServerSkills } from "../../../runtime/server/definition.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { defineExtension } from "../../../runtime/server/extensions/define-extension.ts";
import type { AnyServerDefinition } from "../../../runtime/server/any-definition.ts";
import { createUiResource, uiMimeType } from "../../../runtime/server/apps/ui-resource.ts";
import { createSkill } from "../../../runtime/skills/create-skill.ts";
import { statelessRevision, newest as handshake } from "../../kit/revisions.ts";
import { joinGateway } from "./connect-client.ts";

/* Extensions that a server behind a gateway and a client in front of it both declare. */

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const skill = await createSkill({
  folder: "acme",
  frontmatter: { name: "refunds", description: "How refunds are made" },
  body: "Politely.",
});
const entry = { uri: "skill://acme/refunds/SKILL.md", frontmatter: { name: "refunds" } };
const uri = "ui://test/board";
const resources = [createUiResource({ uri, name: "board", html: "<!doctype html>\n<title>Board</title>" })];
const tools = [
  { name: "show", ui: { resourceUri: uri }, execute: () => "3 open" },
  { name: "work", task: { pollInterval: 5 }, execute: () => "done" },
];
const source: Partial<AnyServerDefinition> & ServerSkills = {
  skills: [skill],
  directoryRead: true,
  tools,
  resources,
};

async function open(
  served: Revision,
  definition: Partial<AnyServerDefinition> & ServerSkills = source,
  more: Partial<GatewayOptions> = {},
): Promise<Gateway> {
  const server = createServer({ name: "ours", version: "1", onError: () => {}, ...definition }, [served]);
  const upstream = await serveHttp(server, { port: 0 });
  const gateway = await createGateway({ kind: "url", url: upstream.url }, { revisions, ...more });
  ends.push(
    () => upstream.close(),
    () => gateway.close(),
  );
  return gateway;
}

const everything = { [skills.id]: {}, [ui.id]: { mimeTypes: [uiMimeType] }, [tasks.id]: {} };

/** A client that checks what it gets by the extensions too. */
async function join(gateway: Gateway, core: Revision, extensions: object = everything): Promise<ClientConnection> {
  const known = knownExtensions.map((extension) => ({ ...extension, declared: {} }));
  const [revision = core] = extendRevisions([core], known, "client");
  const connection = await joinGateway(gateway, revision, { extensions });
  ends.push(() => connection.close());
  return connection;
}

const byId = revisions.map((revision) => [revision.id, revision] as const);

describe.each([
  ["without sessions", statelessRevision],
  ["of sessions", handshake],
])("a server %s", (_kind, served) => {
  test.each(byId)("the gateway passes skills on at %s", async (_id, revision) => {
    const client = await join(await open(served), revision);
    expect(client.serverCapabilities.extensions).toMatchObject({ [skills.id]: { directoryRead: true } });
    expect(await client.request("skills/list", {})).toMatchObject({ skills: [entry] });
    expect(await client.request("skills/get", { uri: entry.uri })).toMatchObject({ skill: entry });
    expect(await client.request("resources/directory/read", { uri: "skill://acme/refunds" })).toMatchObject({
      resources: [{ uri: entry.uri }],
    });
    expect(await client.request("resources/read", { uri: entry.uri })).toMatchObject({
      contents: [{ uri: entry.uri }],
    });
    await expect(client.request("skills/get", { uri: "skill://none" })).rejects.toMatchObject({ code: -32602 });
  });

  test.each(byId)(
    "the gateway shows views at %s to a client that has them, and the text to others",
    async (id, revision) => {
      // Tools have metadata since then; before, every client is told of the tool alone.
      const link = id >= "2025-06-18" ? { _meta: { ui: { resourceUri: uri } } } : { name: "show" };
      const gateway = await open(served);
      const views = await join(gateway, revision);
      expect(views.serverCapabilities.extensions).toHaveProperty([ui.id]);
      expect(await views.request("tools/list", {})).toMatchObject({
        tools: expect.arrayContaining([expect.objectContaining(link)]),
      });
      const plain = await join(gateway, revision, {});
      expect(JSON.stringify(await plain.request("tools/list", {}))).not.toContain(uri);
    },
  );
});

describe("tasks of a server without sessions", () => {
  test("tasks of a stateless server are passed to clients that declare them (XT-01, XT-04)", async () => {
    const client = await join(await open(statelessRevision), statelessRevision);
    const started = await client.request("tools/call", { name: "work", arguments: {} });
    const taskId = isObject(started) ? started.taskId : undefined;
    expect(started).toMatchObject({ resultType: "task", taskId: expect.any(String) });
    await expect
      .poll(() => client.request("tasks/get", { taskId }))
      .toMatchObject({ resultType: "complete", status: "completed", result: { content: [{ text: "done" }] } });
    expect(await client.request("tasks/cancel", { taskId })).toMatchObject({ resultType: "complete" });
    await expect(client.request("tasks/get", { taskId: "none" })).rejects.toMatchObject({ code: -32602 });
  });

  test("tasks of a stateless server are not passed to others, which get the missing capability (XT-01, XT-12)", async () => {
    const client = await join(await open(statelessRevision), statelessRevision, {});
    const required = { requiredCapabilities: { extensions: { [tasks.id]: {} } } };
    expect(await client.request("tools/call", { name: "work", arguments: {} })).toMatchObject({
      resultType: "complete",
      content: [{ text: "done" }],
    });
    const row = { kind: "request", method: "tasks/get", handler: "getTask", params: pass, result: pass } as const;
    const get = client.request({ ...row, paramsOptional: false }, { taskId: "a" });
    await expect(get).rejects.toMatchObject({ code: -32021, data: required });
    const listen = client.request("subscriptions/listen", { notifications: { taskIds: ["a"] } });
    await expect(listen).rejects.toMatchObject({ code: -32021, data: required });
  });
});

test("an extension that the server does not declare is not declared, and has no methods", async () => {
  const client = await join(
    await open(statelessRevision, { tools: [{ name: "plain", execute: () => "text" }] }),
    statelessRevision,
  );
  expect(client.serverCapabilities.extensions).toBeUndefined();
  const row = { kind: "request", method: "skills/list", handler: "listSkills", params: pass, result: pass } as const;
  await expect(client.request({ ...row, paramsOptional: true }, {})).rejects.toMatchObject({ code: -32601 });
});

test("an extension that the gateway does not know or pass is not declared", async () => {
  const other = { ...ui, id: "com.example/other" };
  const gateway = await open(statelessRevision, { ...source, extensions: [other] }, { extensions: [skills] });
  const client = await join(gateway, statelessRevision);
  expect(client.serverCapabilities.extensions).toEqual({ [skills.id]: { directoryRead: true } });
});

test.each([undefined, new Error("The store is away")])(
  "an extension is closed when the server cannot be reached, and only its own failure is reported: %s",
  async (failure) => {
    const [done, errors]: [string[], string[]] = [[], []];
    const close = async (): Promise<void> => {
      done.push("closed");
      if (failure) throw failure;
    };
    const extension = defineExtension({ ...ui, id: "com.example/other" }, { setup: () => ({ close }) });
    const opening = createGateway(() => Promise.reject(new Error("no server")), {
      revisions,
      extensions: [extension],
      onError: ({ kind, error }) => void errors.push(`${kind}: ${error.message}`),
    });
    await expect(opening).rejects.toThrow("no server");
    expect(done).toEqual(["closed"]);
    expect(errors).toEqual(failure ? [expect.stringMatching(/^transport: .*The store is away/)] : []);
  },
);

test("an extension of a user passes when the gateway is given it", async () => {
  const other = { ...ui, id: "com.example/other", declared: {}, settings: { size: 3 } };
  const client = await join(
    await open(statelessRevision, { ...source, extensions: [other] }, { extensions: [other] }),
    statelessRevision,
  );
  expect(client.serverCapabilities.extensions).toEqual({ [other.id]: { size: 3 } });
});

function pass(): undefined {
  return undefined;
}
