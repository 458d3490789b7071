import { createInterface } from "node:readline";
import { createServer, type AddressInfo } from "node:net";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { isObject } from "../../../generated/support.ts";
import { connect } from "../../../runtime/client/connect.ts";
import { createGateway } from "../../../runtime/gateway/gateway.ts";
import { serveGatewayHttp } from "../../../runtime/gateway/serve.ts";
import { relayedLimits } from "../../../runtime/gateway/upstream/upstream-target.ts";
import { createTcpTransport } from "../../../runtime/transport/tcp/tcp.ts";
import { statelessRevision, newest } from "../../kit/revisions.ts";
import { openHttp } from "./raw-wire.ts";

/* Numbers that a double does not hold: a gateway passes them on exactly, or not at all. */

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const results: Readonly<Record<string, string>> = {
  initialize: `{"protocolVersion":"${newest.id}","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}`,
  "tools/list":
    '{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"n":{"maximum":18446744073709551615}}}}]}',
  content: '{"content":[],"structuredContent":{"id":9007199254740993}}',
  metadata: '{"content":[],"_meta":{"id":-9007199254740993}}',
  infinite: '{"content":[],"structuredContent":{"value":1e400}}',
  exact:
    '{"content":[],"structuredContent":{"id":9007199254740992,"text":"9007199254740993","real":0.1234567890123456789}}',
};

/** Opens a gateway over HTTP in front of a server whose results are texts. Returns its URL, and the lines that the server has received. */
async function open(errors: string[] = []): Promise<{ readonly url: string; readonly received: readonly string[] }> {
  const received: string[] = [];
  const server = createServer((socket) => {
    createInterface({ input: socket }).on("line", (line) => {
      received.push(line);
      const { id, method, params } = JSON.parse(line);
      const result = results[method === "tools/call" ? params.name : method];
      const body = result ? `"result":${result}` : '"error":{"code":-32601,"message":"none"}';
      if (id !== undefined) socket.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},${body}}\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = Object(server.address()) satisfies AddressInfo;
  const gateway = await createGateway(
    (options) => connect(createTcpTransport({ port, host: "127.0.0.1", limits: relayedLimits }), options),
    { revisions, onError: ({ error }) => void errors.push(error.message) },
  );
  const listener = await serveGatewayHttp(gateway, { port: 0 });
  ends.push(
    () => new Promise((resolve) => server.close(() => resolve())),
    () => gateway.close(),
    () => listener.close(),
  );
  return { url: listener.url, received };
}

describe.each([newest, statelessRevision])("a client of $id", (revision) => {
  test.each(["content", "metadata", "infinite"])(
    "a result is an error instead of a rounded number: %s",
    async (name) => {
      const { url } = await open();
      const wire = await openHttp(url, revision);
      const { error } = await wire.request("tools/call", { name, arguments: {} });
      expect(error).toMatchObject({ code: -32603, message: expect.stringContaining("has a number beyond 2^53") });
    },
  );

  test("numbers that a double holds, digits in texts, and lists are passed on; a rounded number in a list is reported", async () => {
    const errors: string[] = [];
    const { url } = await open(errors);
    const wire = await openHttp(url, revision);
    const { result } = await wire.request("tools/call", { name: "exact", arguments: {} });
    expect(isObject(result) && result.structuredContent).toMatchObject({
      id: 9007199254740992,
      text: "9007199254740993",
    });
    expect((await wire.request("tools/list")).result).toMatchObject({ tools: [{ name: "t" }] });
    expect(errors).toContain("A number in a list of the server is rounded; it is beyond 2^53");
  });

  test("a call with such an argument gets an error, and the server nothing", async () => {
    const { url, received } = await open();
    const wire = await openHttp(url, revision);
    const send = globalThis.fetch;
    const spy = vi.spyOn(globalThis, "fetch").mockImplementation((address, init) => {
      const body = String(init?.body).replace('"EXACT"', "9007199254740993");
      return send(address, { ...init, body });
    });
    onTestFinished(() => spy.mockRestore());
    const { error } = await wire.request("tools/call", { name: "exact", arguments: { id: "EXACT" } });
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("has a number beyond 2^53") });
    expect(received.filter((line) => line.includes("tools/call"))).toEqual([]);
  });
});
