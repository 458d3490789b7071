import { beforeAll, describe, expect, test } from "vitest";
import { revisions as released } from "../../../generated/revisions.ts";
import { isObject, type Caller, type RequestRow, type Revision } from "../../../generated/support.ts";
import { loadTables } from "../../../cli/commands/load-tables.ts";
import { connect, type ConnectOptions } from "../../../runtime/client/connect.ts";
import { createGateway } from "../../../runtime/gateway/gateway.ts";
import { createAcceptor } from "../../../runtime/lifecycle/acceptor.ts";
import type { ServeOptions } from "../../../runtime/lifecycle/serve-options.ts";
import { findRow } from "../../../runtime/protocol/methods/method-rows.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { createTemporaryFolder } from "../../kit/temporary-folders.ts";
import { newest, next, older, writeFictionalSpec } from "../fictional-spec.ts";

/* A server or a client written for the fictional revision works with peers of older revisions, which notice nothing. */

const byId = new Map<string, Revision>();

beforeAll(async () => {
  const folder = await createTemporaryFolder("renamed");
  for (const revision of (await loadTables(await writeFictionalSpec(folder))).revisions)
    byId.set(revision.id, revision);
}, 60_000);

/** Returns revisions of the fictional folder, newest first. */
function revisionsOf(...ids: readonly string[]): readonly Revision[] {
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** What reached the handlers of either end. */
interface Seen {
  readonly server: unknown[];
  readonly client: unknown[];
}

/** Names used by one end. */
interface Words {
  readonly level: string;
  readonly role: string;
}

const words: Readonly<Record<"old" | "new", Words>> = {
  old: { level: "emergency", role: "user" },
  new: { level: "disaster", role: "person" },
};

const message = (role: string): object => ({ role, content: { type: "text", text: "hi" } });

/** A server whose prompt first logs and, if possible, samples. */
function serve(revisions: readonly Revision[], { level, role }: Words, seen: Seen): ServeOptions {
  const isNew = role === words.new.role;
  return {
    info: { name: "server", version: "1" },
    capabilities: { prompts: {}, logging: {} },
    revisions,
    handlers: (revision) => ({
      setLevel: (params: { readonly level: string }) => (seen.server.push(params.level), {}),
      async getPrompt(
        params: { readonly tone?: string },
        call: Caller & { readonly meta: Readonly<Record<string, unknown>> },
      ) {
        const logged = call.meta["io.modelcontextprotocol/logLevel"];
        seen.server.push([params.tone, ...(logged === undefined ? [] : [logged])]);
        const log = findRow(revision.serverNotifications, "loggingMessage");
        if (log) await call.notify(log, { level, data: 1 });
        const sample = findRow(revision.serverRequests, "createMessage");
        if (sample) seen.server.push(await call.request(sample, { messages: [message(role)], maxTokens: 1 }));
        return { messages: [message(role)], ...(isNew && { languages: ["de"] }), ...envelopeOf(revision) };
      },
    }),
  };
}

function envelopeOf(revision: Revision): object {
  return revision.lifecycle === "handshake" ? {} : { resultType: "complete" };
}

/** Connects a client with a role in its own words, and notes what it gets. */
function open(revisions: readonly Revision[], { level, role }: Words, seen: Seen): ConnectOptions {
  return {
    info: { name: "client", version: "1" },
    capabilities: { sampling: {} },
    revisions,
    logLevel: () => level,
    handlers: {
      loggingMessage: (params: { readonly level: string }) => void seen.client.push(params.level),
      createMessage(params: { readonly messages: readonly unknown[] }) {
        seen.client.push(params.messages);
        return { ...message(role), model: "m" };
      },
    },
  };
}

/** Calls a prompt over a connection, and returns what both ends saw. */
async function talk(served: ServeOptions, opening: ConnectOptions, params: object, seen: Seen): Promise<unknown> {
  const [clientEnd, serverEnd] = createInMemoryTransports();
  createAcceptor(served)(serverEnd);
  const connection = await connect(clientEnd, opening);
  const { clientRequests } = connection.revision;
  const setLevel = findRow(clientRequests, "setLevel");
  const getPrompt = findRow(clientRequests, "getPrompt");
  if (!getPrompt) throw new Error("There are no prompts.");
  if (setLevel) await connection.request(setLevel, { level: opening.logLevel?.() });
  const result = await connection.request(getPrompt, params);
  await connection.close();
  return { revision: connection.revision.id, result, seen };
}

describe("a server that is written for renamed values", () => {
  test("a client with a session gets and sends the old names", async () => {
    const seen: Seen = { server: [], client: [] };
    const served = serve(revisionsOf(next, newest, older), words.new, seen);
    const client = open(
      released.filter(({ id }) => id === older),
      words.old,
      seen,
    );
    expect(await talk(served, client, { name: "p" }, seen)).toMatchObject({
      revision: older,
      result: { messages: [message("user")] },
      seen: {
        server: ["disaster", ["plain"], { ...message("person"), model: "m" }],
        client: ["emergency", [message("user")]],
      },
    });
  });

  test("a client without a session gets and sends the old names", async () => {
    const seen: Seen = { server: [], client: [] };
    const served = serve(revisionsOf(next, newest, older), words.new, seen);
    const client = open(
      released.filter(({ id }) => id === newest),
      words.old,
      seen,
    );
    expect(await talk(served, client, { name: "p" }, seen)).toMatchObject({
      revision: newest,
      result: { messages: [message("user")] },
      seen: { server: [["plain", "disaster"]], client: ["emergency"] },
    });
  });

  test("a client of the same revision gets and sends the new names", async () => {
    const seen: Seen = { server: [], client: [] };
    const served = serve(revisionsOf(next, newest, older), words.new, seen);
    const client = open(revisionsOf(next), words.new, seen);
    expect(await talk(served, client, { name: "p", tone: "loud" }, seen)).toMatchObject({
      revision: next,
      result: { messages: [message("person")], languages: ["de"] },
      seen: { server: [["loud", "disaster"]], client: ["disaster"] },
    });
  });

  test("code that is written for an older revision gets the old names at every revision", async () => {
    const seen: Seen = { server: [], client: [] };
    const served = serve(revisionsOf(newest, older), words.old, seen);
    const client = open(
      released.filter(({ id }) => id === older),
      words.old,
      seen,
    );
    expect(await talk(served, client, { name: "p" }, seen)).toMatchObject({
      result: { messages: [message("user")] },
      seen: { server: ["emergency", [undefined], { role: "user" }], client: ["emergency", [message("user")]] },
    });
  });
});

describe("a client that is written for renamed values", () => {
  test.each([
    [
      older,
      {
        server: ["emergency", [undefined], { ...message("user"), model: "m" }],
        client: ["disaster", [message("person")]],
      },
    ],
    [newest, { server: [[undefined, "emergency"]], client: ["disaster"] }],
  ])("a server of %s gets and sends the old names", async (id, expected) => {
    const seen: Seen = { server: [], client: [] };
    const served = serve(
      released.filter((revision) => revision.id === id),
      words.old,
      seen,
    );
    const client = open(revisionsOf(next, newest, older), words.new, seen);
    expect(await talk(served, client, { name: "p", tone: "loud" }, seen)).toMatchObject({
      revision: id,
      result: { messages: [message("person")], languages: ["en"] },
      seen: expected,
    });
  });
});

describe("a gateway", () => {
  test.each([
    [older, "user", "emergency"],
    [newest, "user", "emergency"],
    [next, "person", "disaster"],
  ])("a client of %s gets its own names from a server of another revision", async (id, role, level) => {
    const seen: Seen = { server: [], client: [] };
    const served = serve(
      released.filter((revision) => revision.id === older),
      words.old,
      seen,
    );
    const gateway = await createGateway(
      (options) => {
        const [near, far] = createInMemoryTransports();
        createAcceptor(served)(far);
        return connect(near, options);
      },
      { revisions: [...byId.values()] },
    );
    const client = open(revisionsOf(id), { level, role }, seen);
    const [near, far] = createInMemoryTransports();
    gateway.accept(far);
    const connection = await connect(near, client);
    const getPrompt = findRow(connection.revision.clientRequests, "getPrompt");
    if (!getPrompt) throw new Error("There are no prompts.");
    const tone = id === next ? { tone: "loud" } : {};
    const first: unknown = await connection.request(getPrompt, { name: "p", ...tone });
    const result = await complete(connection, getPrompt, { first, role, tone });
    expect(result).toMatchObject({ messages: [message(role)], ...(id === next && { languages: ["en"] }) });
    expect(seen.server.at(-1)).toMatchObject(message("user"));
    await connection.close();
    await gateway.close();
  });
});

/** Responds to the sampling request inside of a result, at revisions where servers send none. */
async function complete(
  connection: Caller,
  row: RequestRow,
  { first, role, tone }: { readonly first: unknown; readonly role: string; readonly tone: object },
): Promise<unknown> {
  if (!isObject(first) || !isObject(first.inputRequests)) return first;
  const [[key = "", request] = []] = Object.entries(first.inputRequests);
  expect(request).toMatchObject({ params: { messages: [message(role)] } });
  const inputResponses = { [key]: { ...message(role), model: "m" } };
  return connection.request(row, { name: "p", ...tone, inputResponses, requestState: first.requestState });
}
