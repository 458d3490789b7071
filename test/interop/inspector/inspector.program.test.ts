import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Declarations } from "../../../generated/2025-11-25/index.ts";
import type { Revision } from "../../../generated/support.ts";
import { forRevisions } from "../../../runtime/server/for-revisions.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import type { Server } from "../../../runtime/server/create-server.ts";
import type { HttpListener } from "../../../runtime/transport/http-server/listen.ts";
import { createProgram } from "../../kit/programs.ts";
import { handshakeRevisions, newest } from "../../kit/revisions.ts";

/* The command line of the official inspector, which is how many people meet a server first. */

const inspector = createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector-cli/build/index.js");
const hook = await createProgram(new URL("./output-hook.ts", import.meta.url));
const ownServer = await createProgram(new URL("../our-stdio-server.ts", import.meta.url));

async function inspect(target: readonly string[], args: readonly string[]): Promise<RpcResponse> {
  const loader = ["--import", pathToFileURL(hook).href];
  const { stdout } = await promisify(execFile)(process.execPath, [...loader, inspector, ...target, ...args]);
  return JSON.parse(stdout);
}

interface RpcResponse {
  readonly [member: string]: unknown;
}

function define(revision: Revision): Server {
  const { defineServer, defineTool, defineResource, definePrompt } = forRevisions<Declarations>([revision]);
  return defineServer({
    name: "inspected",
    version: "1.0.0",
    tools: [
      defineTool({
        name: "add",
        description: "Adds",
        inputSchema: z.object({ a: z.number(), b: z.number() }),
        execute: ({ a, b }) => String(a + b),
      }),
    ],
    resources: [defineResource({ uri: "memo://1", name: "memo", read: () => "Buy milk" })],
    prompts: [
      definePrompt({ name: "greet", arguments: { name: { required: true } }, get: ({ name }) => `Hi ${String(name)}` }),
    ],
  });
}

describe.each(handshakeRevisions.map((revision) => [revision.id, revision] as const))(
  "the inspector at %s",
  (id, revision) => {
    let listener: HttpListener;

    beforeAll(async () => {
      listener = await serveHttp(define(revision), { sse: {} });
    });

    afterAll(() => listener.close());

    // Streamable HTTP came with the second revision.
    if (id > "2024-11-05")
      test("the inspector calls tools over Streamable HTTP", async () => {
        const at = [listener.url, "--transport", "http"];
        const sum = await inspect(at, ["--method", "tools/call", "--tool-name", "add", "--tool-arg", "a=1", "b=2"]);
        expect(sum).toMatchObject({ content: [{ type: "text", text: "3" }] });
      });

    // Every process takes its time, and only its call is another one at another revision.
    if (revision === newest)
      test("the inspector lists, reads and completes over Streamable HTTP", async () => {
        const at = [listener.url, "--transport", "http"];
        const [tools, memo, prompt] = await Promise.all([
          inspect(at, ["--method", "tools/list"]),
          inspect(at, ["--method", "resources/read", "--uri", "memo://1"]),
          inspect(at, ["--method", "prompts/get", "--prompt-name", "greet", "--prompt-args", "name=Ada"]),
        ]);
        expect(tools).toMatchObject({ tools: [{ name: "add", inputSchema: { type: "object" } }] });
        expect(memo).toMatchObject({ contents: [{ uri: "memo://1", text: "Buy milk" }] });
        expect(prompt).toMatchObject({ messages: [{ role: "user", content: { type: "text", text: "Hi Ada" } }] });
      });

    test("the inspector calls tools over HTTP with SSE", async () => {
      const at = [new URL("/sse", listener.url).href, "--transport", "sse"];
      const sum = await inspect(at, ["--method", "tools/call", "--tool-name", "add", "--tool-arg", "a=1", "b=2"]);
      expect(sum).toMatchObject({ content: [{ type: "text", text: "3" }] });
    });
  },
);

test("the inspector starts our server and calls it on stdio", async () => {
  const at = [process.execPath, ownServer, newest.id];
  expect(await inspect(at, ["--method", "tools/list"])).toMatchObject({ tools: expect.any(Array) });
});
