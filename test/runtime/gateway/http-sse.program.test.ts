import { afterEach, expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { connect } from "../../../runtime/client/connect.ts";
import { serveGatewayHttp } from "../../../runtime/gateway/serve.ts";
import { createSseClientTransport } from "../../../runtime/transport/http-sse/http-sse-client.ts";
import { createProgram } from "../../kit/programs.ts";
import { openOdd } from "./invalid-server-gateway.ts";

const script = await createProgram(new URL("./invalid-server.ts", import.meta.url));
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const headers = { accept: "text/event-stream" };

test("a gateway serves clients of HTTP with SSE only, as many as it has connections for", async () => {
  const { gateway } = await openOdd({ script, ends, maxConnections: 2 });
  const listener = await serveGatewayHttp(gateway, { port: 0 });
  ends.push(() => listener.close());
  const oldest = revisions.filter(({ id }) => id === "2024-11-05");
  const transport = createSseClientTransport(new URL("/sse", listener.url).href);
  const client = await connect(transport, { info: { name: "old", version: "1" }, revisions: oldest });
  ends.push(() => client.close());
  expect(client.session?.revision.id).toBe("2024-11-05");
  expect(await client.request("tools/list", {})).toMatchObject({ tools: expect.any(Array) });
  const further = await Promise.all(Array.from({ length: 3 }, () => fetch(new URL("/sse", listener.url), { headers })));
  ends.push(
    ...further.map(
      ({ body }) =>
        async () =>
          body?.cancel(),
    ),
  );
  expect(further.map(({ status }) => status)).toContain(503);
});
