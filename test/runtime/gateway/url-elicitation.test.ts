import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { isObject, type Revision } from "../../../generated/support.ts";
import type { ClientConnection } from "../../../runtime/client/connect.ts";
import { createGateway, type Gateway } from "../../../runtime/gateway/gateway.ts";
import { RpcError } from "../../../runtime/jsonrpc/errors.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { serveSdk } from "../../interop/sdk1/http-server.ts";
import { serveSdk2 } from "../../interop/sdk2/server.ts";
import { statelessRevision } from "../../kit/revisions.ts";
import { joinGateway } from "./connect-client.ts";

/* Servers that refuse a call until its user has been to a page: an error of one revision, a question in a result at the next. */

const url = "https://example.org/in";
const page = { mode: "url", message: "Sign in", url };
const knowing = revisions.filter(({ errors }) => errors.urlElicitationRequired?.emitted);

async function serveOurs(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const visitors = new WeakSet<object>();
  const reject = (session: object): string => {
    if (visitors.has(session)) return "visited";
    visitors.add(session);
    throw new RpcError(-32042, "Sign in first", { data: { elicitations: [{ ...page, elicitationId: "e1" }] } });
  };
  let calls = 0;
  const tools = [
    { name: "page", execute: (_args: unknown, { session }: { readonly session: object }) => reject(session) },
    {
      name: "twice",
      execute() {
        calls += 1;
        if (calls % 3 === 0) return "visited";
        const elicitations = [1, 2].map((number) => ({ ...page, elicitationId: `${calls}-${number}` }));
        throw new RpcError(-32042, "Sign in first", { data: { elicitations } });
      },
    },
    {
      name: "odd",
      execute() {
        throw new RpcError(-32042, "No pages", { data: {} });
      },
    },
  ];
  return serveHttp(createServer({ name: "ours", version: "1", tools, onError: () => {} }, knowing), { port: 0 });
}

const servers: readonly (readonly [string, () => Promise<{ readonly url: string; close(): Promise<void> }>])[] = [
  ["our server", serveOurs],
  ["the official server of the first generation", () => serveSdk()],
  ["the official server of the second generation", () => serveSdk2()],
];

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function join(
  gateway: Gateway,
  revision: Revision,
  elicitation: object = { url: {} },
): Promise<ClientConnection> {
  const connection = await joinGateway(gateway, revision, { elicitation });
  ends.push(() => connection.close());
  return connection;
}

interface InputRequired {
  readonly inputRequests: Readonly<Record<string, unknown>>;
  readonly requestState: unknown;
}

function read(result: unknown): InputRequired {
  const { resultType, inputRequests, requestState } = isObject(result) ? result : {};
  expect(resultType).toBe("input_required");
  return { inputRequests: isObject(inputRequests) ? inputRequests : {}, requestState };
}

function respond({ inputRequests, requestState }: InputRequired, name: string, action = "accept"): object {
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, { action }]));
  return { name, arguments: {}, inputResponses, requestState };
}

describe.each(servers)("%s behind a gateway", (_name, serve) => {
  let upstream: Awaited<ReturnType<typeof serve>>;
  let gateway: Gateway;

  // Each test has sessions of its own with the server: it knows its visitors by them.
  beforeEach(async () => {
    upstream = await serve();
    gateway = await createGateway({ kind: "url", url: upstream.url }, { revisions });
  });

  afterEach(async () => {
    await gateway.close();
    await upstream.close();
  });

  test("a client without a session gets the elicitation inside of a result, and its call is repeated (S-040, S-006)", async () => {
    const client = await join(gateway, statelessRevision);
    const requested = read(await client.request("tools/call", { name: "page", arguments: {} }));
    expect(Object.values(requested.inputRequests)).toEqual([{ method: "elicitation/create", params: page }]);
    const result = await client.request("tools/call", respond(requested, "page"));
    expect(result).toMatchObject({ resultType: "complete", content: [{ text: "visited" }] });
  });

  test.each(["decline", "cancel"])("a server is not called again when the user responds %s (S-145)", async (action) => {
    const client = await join(gateway, statelessRevision, { url: {}, form: {} });
    const requested = read(await client.request("tools/call", { name: "page", arguments: {} }));
    const rejected = client.request("tools/call", respond(requested, "page", action));
    await expect(rejected).rejects.toMatchObject({ code: -32600 });
  });

  test.each([{}, { form: {} }])(
    "a client without URL elicitation (%o) gets the missing capability (S-014)",
    async (elicitation) => {
      const client = await join(gateway, statelessRevision, elicitation);
      await expect(client.request("tools/call", { name: "page", arguments: {} })).rejects.toMatchObject({
        code: -32021,
        data: { requiredCapabilities: { elicitation: { url: {} } } },
      });
    },
  );

  test.each(knowing.map((revision) => [revision.id, revision] as const))(
    "a gateway rejects a call as the server does at %s",
    async (_id, revision) => {
      const client = await join(gateway, revision);
      const call = (): Promise<unknown> => client.request("tools/call", { name: "page", arguments: {} });
      await expect(call()).rejects.toMatchObject({
        code: -32042,
        data: { elicitations: [{ ...page, elicitationId: "e1" }] },
      });
      expect(await call()).toMatchObject({ content: [{ text: "visited" }] });
    },
  );

  test("a revision without such an error gets a plain one", async () => {
    const before =
      revisions.find((revision) => revision !== statelessRevision && !knowing.includes(revision)) ?? statelessRevision;
    const client = await join(gateway, before, {});
    await expect(client.request("tools/call", { name: "page", arguments: {} })).rejects.toMatchObject({ code: -32600 });
  });
});

describe("our server behind a gateway", () => {
  async function open(more: { readonly inputTimeout?: number } = {}): Promise<Gateway> {
    const upstream = await serveOurs();
    const gateway = await createGateway({ kind: "url", url: upstream.url }, { revisions, ...more });
    ends.push(
      () => upstream.close(),
      () => gateway.close(),
    );
    return gateway;
  }

  test("our server may require several pages, and others after those", async () => {
    const client = await join(await open(), statelessRevision);
    let result = await client.request("tools/call", { name: "twice", arguments: {} });
    for (const _round of [1, 2]) {
      const requested = read(result);
      expect(Object.keys(requested.inputRequests)).toHaveLength(2);
      result = await client.request("tools/call", respond(requested, "twice"));
    }
    expect(result).toMatchObject({ content: [{ text: "visited" }] });
  });

  test("an error without pages stays an error", async () => {
    const client = await join(await open(), statelessRevision);
    await expect(client.request("tools/call", { name: "odd", arguments: {} })).rejects.toMatchObject({ code: -32600 });
  });

  test("a server does not wait for a client that never returns (S-048)", async () => {
    const client = await join(await open({ inputTimeout: 1 }), statelessRevision);
    const requested = read(await client.request("tools/call", { name: "page", arguments: {} }));
    await expect
      .poll(() =>
        client.request("tools/call", respond(requested, "page")).then(
          () => 0,
          (error: RpcError) => error.code,
        ),
      )
      .toBe(-32602);
  });
});

test.each(knowing.map((revision) => [revision.id, revision] as const))(
  "a page of an input-required result is requested at %s, with an id",
  async (_id, revision) => {
    const tools = [
      {
        name: "page",
        async execute(_args: unknown, { elicit }: { readonly elicit?: unknown }): Promise<string> {
          const result: unknown = typeof elicit === "function" ? await elicit(page) : undefined;
          return String(Reflect.get(Object(result), "action"));
        },
      },
    ];
    const server = createServer({ name: "ours", version: "1", tools, onError: () => {} }, [statelessRevision]);
    const upstream = await serveHttp(server, { port: 0 });
    const gateway = await createGateway({ kind: "url", url: upstream.url }, { revisions });
    ends.push(
      () => upstream.close(),
      () => gateway.close(),
    );
    const seen: unknown[] = [];
    const handlers = { elicit: (params: unknown) => (seen.push(params), { action: "accept" }) };
    const client = await joinGateway(gateway, revision, { elicitation: { url: {} }, handlers });
    ends.push(() => client.close());
    expect(await client.request("tools/call", { name: "page", arguments: {} })).toMatchObject({
      content: [{ text: "accept" }],
    });
    expect(seen).toMatchObject([{ ...page, elicitationId: expect.any(String) }]);
  },
);
