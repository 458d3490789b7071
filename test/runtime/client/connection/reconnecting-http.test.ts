import { expect, test } from "vitest";
import { connectHttp, type ConnectHttpOptions } from "../../../../runtime/client/connect-http.ts";
import { createUntypedClient } from "../../../../runtime/client/create-client.ts";
import { newest } from "../../../kit/revisions.ts";
import { respondJson, serveScript, usual, type Script } from "../../../kit/scripted-server.ts";
import { until } from "../../../kit/time.ts";

/** A server that logs, and whose sessions can be forgotten. */
function forgetful(): { readonly script: Script; forget(): void } {
  let current = 0;
  const script: Script = ({ message, headers }, response) => {
    const { id, method } = message;
    if (method === "initialize") {
      current += 1;
      const capabilities = { tools: {}, logging: {} };
      const result = { protocolVersion: newest.id, capabilities, serverInfo: { name: "s", version: "1" } };
      return respondJson(response, { jsonrpc: "2.0", id, result }, { headers: { "mcp-session-id": `s${current}` } });
    }
    if (headers["mcp-session-id"] !== `s${current}`) return response.writeHead(404).end();
    if (method === "tools/call") return respondJson(response, { jsonrpc: "2.0", id, result: { content: [] } });
    return usual;
  };
  return { script, forget: () => void (current += 1) };
}

test.each([
  ["renewed by the transport", {}, ["reconnected"]],
  ["lost and opened again", { sessionLoss: "close" }, ["disconnected", "reconnecting", "reconnected"]],
] as const)(
  "a session over HTTP that is %s has its log level restored (T-55, O-02)",
  async (_, http: Partial<ConnectHttpOptions>, expected) => {
    const { script, forget } = forgetful();
    const server = await serveScript(script);
    const events: string[] = [];
    const client = createUntypedClient({
      info: { name: "c", version: "1" },
      revisions: [newest],
      logLevel: "error",
      reconnect: { initialDelay: 10 },
      onEvent: ({ kind }) => events.push(kind),
    });
    const session = await client.connect((opening) => connectHttp(server.url, { ...opening, ...http }));
    const levels = (): unknown[] =>
      server.requests.flatMap(({ message, headers }) =>
        message.method === "logging/setLevel" ? [headers["mcp-session-id"]] : [],
      );
    await until(() => levels().length === 1);
    forget();
    await session.callTool("t").catch(() => {});
    expect(await session.callTool("t")).toEqual({ content: [] });
    await until(() => events.includes("reconnected"));
    expect(levels()).toEqual(["s1", "s3"]);
    expect(events).toEqual(expected);
    await client.close();
    await server.close();
  },
);
