import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { Gateway } from "../../../runtime/gateway/gateway.ts";
import { serveGatewayStdio } from "../../../runtime/gateway/serve.ts";
import { createTemporaryFolder } from "../../temporary-folder.ts";

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
