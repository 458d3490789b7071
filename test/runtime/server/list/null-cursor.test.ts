import { describe, expect, test } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import { createServerAcceptor } from "../../../../runtime/server/run/acceptor.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { Wire } from "../../../../runtime/testing/wire.ts";
import { requestMetadata, initialize, initialized } from "../../../kit/messages.ts";
import { settle } from "../connected.ts";

const read = (): string => "";

const server = createServer(
  {
    name: "test",
    version: "1",
    tools: [{ name: "a", execute: read }],
    prompts: [{ name: "p", get: read }],
    resources: [{ uri: "note://a", name: "a", read }],
    resourceTemplates: [{ uriTemplate: "note://{name}", name: "note", read }],
  },
  revisions,
);

const lists = [
  ["tools/list", "tools"],
  ["prompts/list", "prompts"],
  ["resources/list", "resources"],
  ["resources/templates/list", "resourceTemplates"],
] as const;

describe.each(revisions.map((revision) => [revision.id, revision] as const))("at revision %s", (id, revision) => {
  test.each(lists)("the cursor null of %s is treated as absent", async (method, member) => {
    const wire = new Wire();
    createServerAcceptor(server)(wire);
    const isStateless = revision.lifecycle === "per-request";
    if (!isStateless) wire.post(initialize(id), initialized);
    await settle();
    wire.sent.length = 0;
    const params = { cursor: null, ...(isStateless && { _meta: requestMetadata({}) }) };
    wire.post({ jsonrpc: "2.0", id: 1, method, params });
    await settle();
    expect(wire.sent).toMatchObject([{ id: 1, result: { [member]: [expect.any(Object)] } }]);
  });

  test("another cursor that is no string is an error", async () => {
    const wire = new Wire();
    createServerAcceptor(server)(wire);
    const isStateless = revision.lifecycle === "per-request";
    if (!isStateless) wire.post(initialize(id), initialized);
    await settle();
    wire.sent.length = 0;
    wire.post({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/list",
      params: { cursor: 5, ...(isStateless && { _meta: requestMetadata({}) }) },
    });
    await settle();
    expect(wire.sent).toMatchObject([{ id: 1, error: { code: -32602, data: { path: "cursor" } } }]);
  });
});
