import { afterEach, expect, test } from "vitest";
import { ConversionError, type Convert, type Revision } from "../../../generated/support.ts";
import { revisions } from "../../../generated/revisions.ts";
import { type ClientConnection, connect } from "../../../runtime/client/connect.ts";
import { readPartLosses } from "../../../runtime/gateway/conversion-losses.ts";
import type { AnyServerDefinition } from "../../../runtime/server/any-definition.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { serve } from "../../../runtime/server/run/acceptor.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { statelessRevision, newest, revisionOf } from "../../kit/revisions.ts";

/* What clients of an older revision lose of what a server offers. */

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const oldest = revisionOf("2024-11-05");

async function open(
  definition: Partial<AnyServerDefinition>,
  served: Revision = statelessRevision,
): Promise<ClientConnection> {
  const [near, far] = createInMemoryTransports();
  serve(createServer({ name: "ours", version: "1", ...definition }, [served]), far);
  const connection = await connect(near, { info: { name: "test", version: "1" }, revisions });
  ends.push(() => connection.close());
  return connection;
}

const read = (): string => "text";
const tools = [
  { name: "plain", execute: read },
  { name: "titled", title: "Title", execute: read },
];
const file = { name: "file", title: "File", uri: "x://a", read };
const files = { name: "files", title: "Files", uriTemplate: "x://files/{id}", read };
const prompt = { name: "prompt", title: "Prompt", get: read };
const everything = {
  title: "Ours",
  pageSize: 1,
  tools,
  resources: [file, { name: "plain file", uri: "x://b", read }],
  resourceTemplates: [files],
  prompts: [prompt],
};

const gone = (type: string): object => ({ type, member: "title", rule: "drop" });

test("a part has the members that the older revision does not know, on every page of every list", async () => {
  const losses = await readPartLosses(await open(everything), oldest);
  expect(losses).toEqual([
    { part: "server", name: "ours", losses: [gone("Implementation")] },
    { part: "tool", name: "plain", losses: [] },
    { part: "tool", name: "titled", losses: [gone("Tool")] },
    { part: "resource", name: "file", losses: [gone("Resource")] },
    { part: "resource", name: "plain file", losses: [] },
    { part: "resource template", name: "files", losses: [gone("ResourceTemplate")] },
    { part: "prompt", name: "prompt", losses: [gone("Prompt")] },
  ]);
});

test("a part loses nothing at the revision of its connection", async () => {
  const losses = await readPartLosses(await open(everything, newest), statelessRevision);
  expect(losses.map(({ name }) => name)).toEqual(["ours", "plain", "titled", "file", "plain file", "files", "prompt"]);
  expect(losses.flatMap((part) => part.losses)).toEqual([]);
});

test("a server without a capability has no parts of that kind", async () => {
  expect(await readPartLosses(await open({}), oldest)).toEqual([{ part: "server", name: "ours", losses: [] }]);
});

/** Returns the losses of a tool by a converter. */
async function convertTools(convert: Convert): Promise<readonly object[]> {
  const none = { serverRequests: {}, clientNotifications: {}, serverNotifications: {}, embeddedRequests: {} };
  const target = { ...oldest, conversions: { ...none, clientRequests: { "tools/list": { result: convert } } } };
  const parts = await readPartLosses(await open({ tools: tools.slice(0, 1) }), target);
  return parts.flatMap(({ losses }) => losses);
}

test("a loss that a converter reports repeatedly is one loss", async () => {
  const losses = await convertTools((value, onLoss) => {
    for (const member of ["a", "b", "a"]) onLoss?.({ type: "Tool", member, rule: "drop" });
    return value;
  });
  expect(losses).toEqual(["a", "b"].map((member) => ({ type: "Tool", member, rule: "drop" })));
});

test.each([
  ["a member", { member: "title" }, "title"],
  ["a value", {}, ""],
])("%s that cannot be converted is lost as a whole", async (_what, more, member) => {
  const losses = await convertTools(() => {
    throw new ConversionError({ type: "Tool", ...more, revision: oldest.id, reason: "Titles do not exist." });
  });
  expect(losses).toEqual([{ type: "Tool", member, rule: "error" }]);
});

test("a converter that fails otherwise is not a loss", async () => {
  const failing = convertTools(() => {
    throw new TypeError("no such function");
  });
  await expect(failing).rejects.toThrow("no such function");
});
