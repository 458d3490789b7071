import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import type { Revision } from "../../../generated/support.ts";
import type { Channel } from "../../../runtime/jsonrpc/channel.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import { createGateway } from "../../../runtime/gateway/gateway.ts";
import type { UpstreamTarget } from "../../../runtime/gateway/upstream/upstream-target.ts";
import { serve } from "../../../runtime/server/run/acceptor.ts";
import { createStdioClientTransport } from "../../../runtime/transport/stdio/stdio-client.ts";
import type { HttpListener } from "../../../runtime/transport/http-server/listen.ts";
import { createHttpClientTransport } from "../../../runtime/transport/http-client/http-client.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { serveSdk } from "../../interop/sdk1/http-server.ts";
import { serveSdk2 } from "../../interop/sdk2/server.ts";
import { createProgram } from "../../kit/programs.ts";
import { converse } from "./converse.ts";
import { createJudge, type Judge } from "./judge.ts";
import { createMaximalServer } from "./server.ts";

/* Every method of every revision over every transport, with one definition that uses everything: each message of both ends is valid against
   the official schema of its revision, and has no key that the revision does not know. */

let listener: HttpListener;
const script = await createProgram(new URL("./stdio-server.ts", import.meta.url));

beforeAll(async () => {
  listener = await serveHttp(createMaximalServer());
});

afterAll(() => listener.close());

const transports: readonly (readonly [name: string, open: () => Channel])[] = [
  [
    "memory",
    () => {
      const [near, far] = createInMemoryTransports();
      serve(createMaximalServer(), far);
      return near;
    },
  ],
  [
    "stdio",
    () =>
      createStdioClientTransport({
        command: process.execPath,
        args: [script],
        stderr: "ignore",
      }),
  ],
  ["HTTP", () => createHttpClientTransport(listener.url)],
];

/** A server of somebody else. */
interface Foreign {
  readonly place: UpstreamTarget;
  readonly tools: readonly string[];
  close(): Promise<void>;
}

/** Servers that know handshakes only, and ask in the middle of calls. */
const behind: readonly (readonly [string, () => Promise<Foreign>])[] = [
  ["the official server of the first generation", async () => toForeign(await serveSdk())],
  ["the official server of the second generation", async () => toForeign(await serveSdk2())],
  [
    "the reference server",
    () => {
      const script = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));
      const place = { kind: "command", command: process.execPath, args: [script, "stdio"] } as const;
      const tools = ["get-tiny-image", "get-resource-links", "get-roots-list", "trigger-elicitation-request"];
      return Promise.resolve({ place, tools, close: () => Promise.resolve() });
    },
  ],
];

function toForeign({ url, close }: { readonly url: string; close(): Promise<void> }): Foreign {
  return { place: { kind: "url", url }, tools: ["echo", "sum", "progress", "sample", "form", "log"], close };
}

describe.each(revisions.map((revision) => [revision.id, revision] as const))("at %s", (id, revision) => {
  let judge: Judge;

  beforeAll(async () => {
    judge = await createJudge(id);
  });

  test.each(transports)("every message over %s is exact", async (_name, open) => {
    const seen = await converse(open(), revision);
    const { problems, used } = judge.judge(seen);
    expect(problems).toEqual([]);
    expect(expectedMethods(revision).filter((method) => !used.has(method))).toEqual([]);
    expect(used.has("input_required")).toBe(Object.keys(revision.embeddedRequests).length > 0);
    console.log(`${id}: ${seen.length} messages`);
  });

  test.each(behind)("every message of %s behind a gateway is exact", async (_name, serveForeign) => {
    const { place, tools, close } = await serveForeign();
    const gateway = await createGateway(place, { revisions });
    const [near, far] = createInMemoryTransports();
    gateway.accept(far);
    const seen = await converse(near, revision, tools);
    await gateway.close();
    await close();
    const { problems, used } = judge.judge(seen);
    expect(problems).toEqual([]);
    expect(used).toContain("tools/call result");
    expect(used.has("input_required")).toBe(Object.keys(revision.embeddedRequests).length > 0);
  });
});

/** Every method of the revision, but for those that nobody here has a reason to send. */
function expectedMethods(revision: Revision): readonly string[] {
  const { clientRequests, serverRequests, clientNotifications, serverNotifications } = revision;
  const requests = [...Object.keys(clientRequests), ...Object.keys(serverRequests)];
  const all = [
    ...requests,
    ...Object.keys(clientRequests).map((method) => `${method} result`),
    ...Object.keys(clientNotifications),
    ...Object.keys(serverNotifications),
  ];
  return all.filter((method) => !unsent.has(method));
}

const unsent: ReadonlySet<string> = new Set([
  // The client does not work on anything of which it could report progress, nor on tasks.
  "notifications/elicitation/complete",
  "notifications/tasks/status",
  // Ended by the client, without a response.
  "subscriptions/listen result",
]);
