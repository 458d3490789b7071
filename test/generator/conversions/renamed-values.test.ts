import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { revisions as released } from "../../../generated/revisions.ts";
import type { Caller, Revision } from "../../../generated/support.ts";
import { emitUnformatted } from "../../../generator/generate.ts";
import { packageRoot } from "../../../generator/internal/package-info.ts";
import { writeTree } from "../../../generator/internal/tree.ts";
import { connect, type ConnectOptions } from "../../../runtime/client/connect.ts";
import { createDualAcceptor } from "../../../runtime/lifecycle/dual-era.ts";
import type { ServeOptions } from "../../../runtime/lifecycle/serve-options.ts";
import { findRow } from "../../../runtime/protocol/methods/method-rows.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { createTemporaryFolder } from "../../temporary-folder.ts";

/*
 * A fictional revision with another name of a log level and of a role, and with two required members that older peers do not know. A server or a client
 * that is written for it works with peers of older revisions, which notice nothing.
 */

const next = "2027-03-30";
const newest = "2026-07-28";
const older = "2025-11-25";
const byId = new Map<string, Revision>();

beforeAll(async () => {
  const folder = await createTemporaryFolder("renamed");
  const spec = join(folder, "spec");
  await cp(join(packageRoot, "spec"), spec, { recursive: true });
  await cp(join(spec, newest), join(spec, next), { recursive: true });
  await edit(join(spec, next, "schema.ts"), (text) =>
    text
      .replaceAll(newest, next)
      .replace(/^(export type LoggingLevel = .*)"emergency"/m, '$1"disaster"')
      .replace('export type Role = "user"', 'export type Role = "person"')
      .replace(/^(export interface GetPromptRequestParams .*)$/m, "$1\n  tone: string;")
      .replace(/^(export interface GetPromptResult .*)$/m, "$1\n  languages: string[];"),
  );
  await edit(join(spec, next, "overlay.json"), (text) => text.replaceAll(`/${newest}/`, `/${next}/`));
  await edit(join(spec, newest, "overlay.json"), (text) => {
    const reason = "It has another name.";
    const conversions = [
      { rule: "as", value: "emergency", at: ["LoggingLevel:disaster"], reason },
      { rule: "as", value: "user", at: ["Role:person"], reason },
      { rule: "drop", at: ["GetPromptRequestParams.tone", "GetPromptResult.languages"], reason: "There is none." },
      { rule: "default", value: "plain", at: ["GetPromptRequestParams.tone"], reason: "Older peers send none." },
      { rule: "default", value: ["en"], at: ["GetPromptResult.languages"], reason: "Older peers send none." },
    ];
    return JSON.stringify({ ...JSON.parse(text), conversions });
  });
  await edit(join(spec, "pins.json"), (text) => {
    const pins = JSON.parse(text);
    return JSON.stringify({ ...pins, revisions: { ...pins.revisions, [next]: pins.revisions[newest] } });
  });
  const generated = join(folder, "generated");
  const tree = new Map(await emitUnformatted({ spec }));
  for (const name of ["support.ts", "convert-support.ts"])
    tree.set(name, await readFile(join(packageRoot, "templates", name), "utf8"));
  await writeTree(generated, tree);
  const module: { readonly revisions: readonly Revision[] } = await import(
    pathToFileURL(join(generated, "revisions.ts")).href
  );
  for (const revision of module.revisions) byId.set(revision.id, revision);
}, 60_000);

async function edit(path: string, change: (text: string) => string): Promise<void> {
  await writeFile(path, change(await readFile(path, "utf8")));
}

/** Returns revisions of the fictional folder, newest first. */
function revisionsOf(...ids: readonly string[]): readonly Revision[] {
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** What reached the handlers of either end. */
interface Seen {
  readonly server: unknown[];
  readonly client: unknown[];
}

/** Names that one end uses. */
interface Words {
  readonly level: string;
  readonly role: string;
}

const words: Readonly<Record<"old" | "new", Words>> = {
  old: { level: "emergency", role: "user" },
  new: { level: "disaster", role: "person" },
};

const message = (role: string): object => ({ role, content: { type: "text", text: "hi" } });

/** A server that logs and, if it can, samples, before it returns a prompt. */
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

/** Connects a client that notes what it gets, with a role in its own words. */
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
  createDualAcceptor(served)(serverEnd);
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
