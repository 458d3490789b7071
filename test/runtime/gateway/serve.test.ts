import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { Gateway } from "../../../runtime/gateway/gateway.ts";
import { serveGatewayStdio } from "../../../runtime/gateway/serve.ts";
import { createTemporaryFolder } from "../../kit/temporary-folders.ts";
import { newest } from "../../kit/revisions.ts";
import { initialize, initialized } from "../../kit/messages.ts";
import { openScripted } from "./upstream/scripted-server.ts";

/* Serving on stdin and stdout, as far as it needs no process of its own. */

test.each([new Error("The server has exited"), undefined])(
  "a gateway on stdin and stdout is closed after its client, and the reason of the server is returned: %s",
  async (loss) => {
    let closed = 0;
    const connection = { closed: Promise.resolve() };
    const gateway: Gateway = Object.create({
      accept(transport: { close(): Promise<void> }) {
        return { ...connection, closed: transport.close() };
      },
      lossOf: () => loss,
      close: async () => void (closed += 1),
    });
    expect(await serveGatewayStdio(gateway)).toBe(loss);
    expect(closed).toBe(1);
  },
);

/** Replaces a stream of this process during a test. */
function replaceStream(name: "stdin" | "stdout"): PassThrough {
  const stream = new PassThrough();
  const descriptor = Object.getOwnPropertyDescriptor(process, name) ?? {};
  Object.defineProperty(process, name, { value: stream, configurable: true });
  onTestFinished(() => void Object.defineProperty(process, name, descriptor));
  return stream;
}

test("a number that a double does not hold does not pass a gateway on stdin and stdout", async () => {
  const [stdin, stdout] = [replaceStream("stdin"), replaceStream("stdout")];
  const declared = { revision: newest, capabilities: { tools: {} }, ends: [] };
  const { gateway, received } = await openScripted(declared, () => ({ content: [] }));
  const served = serveGatewayStdio(gateway);
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const call = async (id: number, number: string): Promise<unknown> => {
    const params = `{"name":"t","arguments":{"n":${number}}}`;
    stdin.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}\n`);
    return JSON.parse((await lines.next()).value);
  };
  stdin.write(`${JSON.stringify(initialize(newest.id))}\n`);
  expect(JSON.parse((await lines.next()).value)).toMatchObject({ id: 0, result: { protocolVersion: newest.id } });
  stdin.write(`${JSON.stringify(initialized)}\n`);
  const message = expect.stringContaining("has a number beyond 2^53");
  expect(await call(1, "9007199254740993")).toMatchObject({ id: 1, error: { code: -32602, message } });
  expect(await call(2, "9007199254740992")).toMatchObject({ id: 2, result: { content: [] } });
  expect(received("tools/call").map(({ params }) => params["arguments"])).toEqual([{ n: 9007199254740992 }]);
  stdin.end();
  expect(await served).toBeUndefined();
});

test("a gateway on stdin and stdout ends at a signal, although its client is still connected", async () => {
  replaceStream("stdin");
  replaceStream("stdout");
  const declared = { revision: newest, capabilities: {}, ends: [] };
  const { gateway } = await openScripted(declared, () => undefined);
  const served = serveGatewayStdio(gateway);
  process.emit("SIGHUP", "SIGHUP");
  expect(await served).toBeUndefined();
});

const folder = await createTemporaryFolder("served");
const program = new URL("../../../runtime/gateway/serve-module.ts", import.meta.url).href;
let loaded = 0;

/** Loads the program that serves a module, with arguments of its own. */
async function load(...args: readonly string[]): Promise<void> {
  const { argv } = process;
  const { write } = process.stdout;
  process.argv = ["node", "serve-module.js", ...args];
  onTestFinished(() => {
    process.argv = argv;
    process.stdout.write = write;
  });
  loaded += 1;
  await import(`${program}?${loaded}`);
  // Whatever serves has redirected the output of others.
  expect(process.stdout.write).toBe(write);
}

test("the program that serves a module needs its path", async () => {
  await expect(load()).rejects.toThrow("The path of a module is required");
});

const server = `{ info: {}, revisions: [], implement() {}, join() {} }`;

test.each([
  ["nothing", ""],
  ["values of other kinds", "export const a = 5, b = null, c = [];"],
  ["a server without revisions", `export const a = { ...${server}, revisions: {} };`],
  ["a server without info", `export const a = { ...${server}, info: undefined };`],
  ["a server that implements nothing", `export const a = { ...${server}, implement: {} };`],
  ["a server that no connection can join", `export const a = { ...${server}, join: {} };`],
])("a module that exports %s serves by itself, with its own arguments", async (_what, code) => {
  const file = join(folder, `${loaded}.mjs`);
  await writeFile(file, `${code}\nexport const args = process.argv.slice(2);\n`);
  await load(file, "--port", "3000");
  expect(await import(pathToFileURL(file).href)).toMatchObject({ args: ["--port", "3000"] });
});
