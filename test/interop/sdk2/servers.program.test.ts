import { afterEach, describe, expect, test } from "vitest";
import type { Declarations } from "../../../generated/2025-11-25/index.ts";
import type { Revision } from "../../../generated/support.ts";
import { createAjvValidator } from "../../../runtime/adapters/ajv.ts";
import { connect } from "../../../runtime/client/connect.ts";
import { connectHttp } from "../../../runtime/client/connect-http.ts";
import { connectClient } from "../../../runtime/client/create-client.ts";
import type { Connectable } from "../../../runtime/client/connection-factory.ts";
import type { ClientSession } from "../../../runtime/client/session/client-session.ts";
import { createStdioClientTransport } from "../../../runtime/transport/stdio/stdio-client.ts";
import { createProgram } from "../../kit/programs.ts";
import { handshakeRevisions } from "../../kit/revisions.ts";
import { exerciseSdk2, type Received } from "./exercise.ts";
import { serveSdk2 } from "./server.ts";

const script = await createProgram(new URL("./stdio-server.ts", import.meta.url));
const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function find(kind: "stdio" | "HTTP"): Promise<Connectable> {
  if (kind === "stdio") {
    const place = { command: process.execPath, args: [script], stderr: "ignore" } as const;
    return (opening) => connect(createStdioClientTransport(place), opening);
  }
  const server = await serveSdk2();
  open.push(() => server.close());
  return (opening) => connectHttp(server.url, opening);
}

async function join(
  kind: "stdio" | "HTTP",
  revision: Revision,
  received: Received,
): Promise<ClientSession<Declarations>> {
  const session = await connectClient<Declarations>(await find(kind), {
    info: { name: "ours", version: "1" },
    revisions: [revision],
    validator: createAjvValidator(),
    sampling: { createMessage: () => ({ role: "assistant", model: "m", content: { type: "text", text: "42" } }) },
    elicitation: { form: () => ({ action: "accept" }) },
    onLog: ({ level }) => received.levels.push(level),
    onListChanged: (list) => received.lists.push(list),
  });
  open.push(() => session.close());
  return session;
}

describe.each(handshakeRevisions)("at $id", (revision) => {
  test.each(["stdio", "HTTP"] as const)(
    "our client uses the official server of the second generation over %s, with requests and notifications both ways",
    async (kind) => {
      const received: Received = { levels: [], lists: [] };
      const session = await join(kind, revision, received);
      expect(session.revision).toBe(revision);
      await exerciseSdk2(session, { canElicit: "elicitation/create" in revision.serverRequests, received });
    },
  );
});
