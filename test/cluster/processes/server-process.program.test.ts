import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { findPort } from "./processes.ts";
import { startServerProcess, startWithOtherPorts, type ServerProgram } from "./server-process.ts";

const listen = 'require("node:net").createServer((socket) => socket.end("ready")).listen(process.argv[1], "127.0.0.1")';

const command = (port: number): readonly [string, readonly string[]] => [
  process.execPath,
  ["-e", listen, String(port)],
];

/** Returns true if the program listens, and not another one. */
function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("data", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("close", () => resolve(false));
  });
}

async function start(program: ServerProgram): ReturnType<typeof startServerProcess> {
  const server = await startServerProcess(program);
  onTestFinished(server.kill);
  return server;
}

async function occupy(port: number): Promise<Server> {
  const server = createServer((socket) => socket.end()).listen(port, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return server;
}

test("a program whose port is taken before it listens gets another one", async () => {
  const ports: number[] = [];
  const server = await start({
    async command(port) {
      ports.push(port);
      if (ports.length === 1) await occupy(port);
      return command(port);
    },
    responds: isReady,
  });
  expect(ports).toHaveLength(2);
  expect(server.port).toBe(ports[1]);
});

test("programs that know the ports of each other get others if one of them is taken", async () => {
  const known: number[] = [];
  const server = await startWithOtherPorts(async () => {
    const port = await findPort();
    known.push(port);
    if (known.length === 1) await occupy(port);
    return start({ command: () => command(port), responds: () => isReady(port) });
  });
  expect(known).toHaveLength(2);
  await server.kill();
  expect(await isReady(known[1] ?? 0)).toBe(false);
});

test("a program that always ends is started a limited number of times", async () => {
  let starts = 0;
  const program: ServerProgram = {
    command: () => [process.execPath, ["-e", String((starts += 1))]],
    responds: async () => false,
  };
  await expect(startServerProcess(program)).rejects.toThrow(/ ended before it responded; run .* -e 5$/);
  expect(starts).toBe(5);
});

test("a restart waits until the port is free", async () => {
  const server = await start({ command, responds: isReady });
  await server.kill();
  const other = await occupy(server.port);
  setTimeout(() => other.close(), 500);
  await server.restart();
  expect(await isReady(server.port)).toBe(true);
});

test("a program that is not installed is named", async () => {
  const program: ServerProgram = { command: () => ["absent-program", []], responds: async () => false };
  await expect(startServerProcess(program)).rejects.toThrow(
    "absent-program cannot be started; see whether it is installed",
  );
});
