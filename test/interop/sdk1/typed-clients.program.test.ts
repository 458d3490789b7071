import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { revision } from "../../../generated/2025-11-25/methods.ts";
import { connect } from "../../../runtime/client/connect.ts";
import { createUntypedClient } from "../../../runtime/client/create-client.ts";
import { createStdioClientTransport } from "../../../runtime/transport/stdio/stdio-client.ts";
import { client } from "../../kit/commands.ts";
import { listAll, temporaryFolder } from "../../kit/temporary-folders.ts";
import { compileEmitted, modulePackage } from "../../kit/compile.ts";

/* Typed clients of servers that others wrote: they compile under the strictest settings, and call. */

const require = createRequire(import.meta.url);

const program = (name: string): string => join(dirname(require.resolve(`${name}/package.json`)), "dist", "index.js");

test("typed clients of the official example servers compile and call", { timeout: 300_000 }, async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "package.json"), modulePackage);
  mkdirSync(join(cwd, "shared"));
  const servers = [
    { name: "everything", args: [program("@modelcontextprotocol/server-everything")], tools: 13 },
    { name: "files", args: [program("@modelcontextprotocol/server-filesystem"), join(cwd, "shared")], tools: 14 },
    { name: "memory", args: [program("@modelcontextprotocol/server-memory")], tools: 9 },
  ];
  const env = [`MEMORY_FILE_PATH=${join(cwd, "memory.jsonl")}`];
  for (const { name, args, tools } of servers) {
    const made = await client([process.execPath, ...args], { name, out: join(cwd, name), env });
    expect(made).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining(`${tools} tools`) });
  }
  writeFileSync(
    join(cwd, "use.ts"),
    `import { createEverythingClient, type Session } from "./everything/index.ts";
    import { createFilesClient } from "./files/index.ts";
    import { createMemoryClient } from "./memory/index.ts";

    export async function useEverything(session: Session): Promise<unknown> {
      const { tools, prompts, resources } = createEverythingClient(session);
      const weather = await tools.getStructuredContent({ location: "Chicago" });
      const temperature: number = weather.structured.temperature;
      const prompt = await prompts.argsPrompt({ city: "Paris" });
      const resource = await resources.dynamicTextResource({ resourceId: 1 });
      return { sum: (await tools.getSum({ a: 2, b: 3 })).text, isNumber: Number.isFinite(temperature), role: prompt.messages[0]?.role, uri: resource.contents[0]?.uri };
    }

    export async function useFiles(session: Session, path: string): Promise<unknown> {
      const { tools } = createFilesClient(session);
      await tools.writeFile({ path, content: "tea" });
      return (await tools.readTextFile({ path, head: 1 })).structured.content;
    }

    export async function useMemory(session: Session): Promise<unknown> {
      const { tools } = createMemoryClient(session);
      await tools.createEntities({ entities: [{ name: "tea", entityType: "drink", observations: ["hot"] }] });
      return (await tools.readGraph()).structured;
    }
    `,
  );
  const sources = listAll(cwd).filter((path) => path.endsWith(".ts"));
  const files = sources.map((path) => join(cwd, path));
  expect(await compileEmitted(cwd, files)).toEqual([]);
  const use: Record<string, (session: unknown, path: string) => Promise<unknown>> = await import(
    pathToFileURL(join(cwd, "use.ts")).href
  );
  const call = async (index: number, name: string): Promise<unknown> => {
    const mcp = createUntypedClient({ info: { name: "test", version: "1" }, revisions: [revision] });
    const command = {
      command: process.execPath,
      args: servers[index]?.args ?? [],
      env: { MEMORY_FILE_PATH: join(cwd, "memory.jsonl") },
    };
    const session = await mcp.connect((options) =>
      connect(createStdioClientTransport({ ...command, stderr: "ignore" }), options),
    );
    try {
      return await use[name]?.(session, join(cwd, "shared", "a.txt"));
    } finally {
      await mcp.close();
    }
  };
  expect(await call(0, "useEverything")).toEqual({
    sum: "The sum of 2 and 3 is 5.",
    isNumber: true,
    role: "user",
    uri: "demo://resource/dynamic/text/1",
  });
  expect(await call(1, "useFiles")).toBe("tea");
  expect(await call(2, "useMemory")).toMatchObject({ entities: [{ name: "tea", entityType: "drink" }] });
});
