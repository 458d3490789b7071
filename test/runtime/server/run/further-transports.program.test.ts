import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import { connect, type ClientConnection } from "../../../../runtime/client/connect.ts";
import { connectHttp } from "../../../../runtime/client/connect-http.ts";
import { createTcpTransport } from "../../../../runtime/transport/tcp/tcp.ts";
import { createWsTransport } from "../../../../runtime/transport/websocket/index.ts";
import { createProgram } from "../../../kit/programs.ts";

/* Programs that are asked for other transports than stdio and HTTP. */

const script = await createProgram(new URL("./run-server.ts", import.meta.url));
const info = { name: "test", version: "1" };

interface Program {
  readonly child: ChildProcess;
  readonly addresses: readonly URL[];
  /** Resolves when the program has written a text to stderr. */
  printed(wanted: string): Promise<void>;
}

/** Starts the server and waits for the addresses that it tells, one for each option. */
async function start(mode: string, options: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Program> {
  const args = [script, mode, "--further", ...options.flatMap((name) => [name, "0"])];
  const child = spawn(process.execPath, args, {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, PORT: undefined, ...env },
  });
  const closed = once(child, "close");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await closed;
  });
  let text = "";
  const addresses = await new Promise<URL[]>((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const found = [...text.matchAll(/is served at (\S+)\n/g)].map(([, url = ""]) => new URL(url));
      if (found.length === options.length) resolve(found);
    });
    void closed.then(() => reject(new Error(`The server ended: ${text}`)));
  });
  const printed = async (wanted: string): Promise<void> => {
    while (!text.includes(wanted)) await once(child.stderr, "data");
  };
  return { child, addresses, printed };
}

function connectTo(url: URL): Promise<ClientConnection> {
  const transport = url.protocol === "tcp:" ? createTcpTransport({ port: Number(url.port) }) : createWsTransport(url);
  return connect(transport, { info, revisions });
}

async function callAt(url: URL): Promise<unknown> {
  const connection = await connectTo(url);
  const result = await connection.request("tools/call", { name: "hello", arguments: {} });
  await connection.close();
  return result;
}

const hello = { content: [{ type: "text", text: "hello" }] };

describe("a program with further transports", () => {
  test.each(["stdio", "either"])("a program of a server for %s serves the transports of its options", async (mode) => {
    const { addresses } = await start(mode, ["--tcp", "--websocket"]);
    expect(addresses.map(({ protocol }) => protocol)).toEqual(["tcp:", "ws:"]);
    for (const address of addresses) expect(await callAt(address)).toMatchObject(hello);
  });

  test.each(["--tcp", "--websocket"])(
    "a program responds to running requests of %s on SIGTERM (R27)",
    async (option) => {
      const { child, addresses, printed } = await start("stdio", [option]);
      const [address] = addresses;
      if (!address) throw new Error("one was asked for");
      const connection = await connectTo(address);
      const result = connection.request("tools/call", { name: "slow", arguments: {} });
      await printed("begun");
      child.kill("SIGTERM");
      expect(await result).toMatchObject({ content: [{ text: "done" }] });
      await connection.close();
    },
  );

  test("a program serves further transports beside HTTP", async () => {
    const { addresses } = await start("http", ["--tcp", "--http"]);
    const [tcp, http] = addresses;
    if (!tcp || !http) throw new Error("two were asked for");
    expect(await callAt(tcp)).toMatchObject(hello);
    const connection = await connectHttp(http, { info, revisions });
    expect(await connection.request("tools/call", { name: "hello", arguments: {} })).toMatchObject(hello);
    await connection.close();
  });

  test("a program accepts over WebSocket the hosts of the environment, and serves TCP on loopback only", async () => {
    const env = { HOST: "0.0.0.0", ALLOWED_HOSTS: "other.example" };
    const { addresses } = await start("stdio", ["--tcp", "--websocket"], env);
    const [tcp, webSocket] = addresses;
    if (!tcp || !webSocket) throw new Error("two were asked for");
    expect([tcp.hostname, webSocket.hostname]).toEqual(["127.0.0.1", "0.0.0.0"]);
    const cause = expect.objectContaining({ message: expect.stringMatching(/403/) });
    await expect(callAt(new URL(`ws://127.0.0.1:${webSocket.port}/mcp`))).rejects.toThrow(
      expect.objectContaining({ cause }),
    );
  });

  test.each([
    [["--tcp", "abc"], "--tcp abc is not a port; use 0 (any free port) to 65535"],
    [["--websocket"], "--websocket is not a port; use 0 (any free port) to 65535"],
  ])("a program rejects the port %j, and exits with 1", async (options, line) => {
    const running = promisify(execFile)(process.execPath, [script, "stdio", "--further", ...options]);
    await expect(running).rejects.toMatchObject({ code: 1, stdout: "", stderr: `fixture: ${line}\n` });
  });

  test("a program lists transports in --help, and rejects their options where it has none", async () => {
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, [script, "stdio", "--further", "--help"]);
    expect(stdout).toMatch(/--tcp PORT +serve over tcp on this port\n.*--websocket PORT +serve over websocket/);
    await expect(run(process.execPath, [script, "stdio", "--tcp", "0"])).rejects.toMatchObject({ code: 2 });
  });
});
