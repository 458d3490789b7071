import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import type { Declarations } from "../../../../generated/2025-11-25/index.ts";
import { revisions } from "../../../../generated/revisions.ts";
import { features, type LayerChoices } from "../../../../generator/scaffold/layer/choices.ts";
import type { RevisionDefiners } from "../../../../runtime/server/for-revisions.ts";
import { connectInMemory } from "../../../../runtime/testing/connect-to.ts";
import { temporaryFolder } from "../../../kit/temporary-folders.ts";
import { emitFolder, linkPackages, writeFiles } from "../../../kit/projects.ts";

type Layer = Pick<RevisionDefiners<Declarations>, "defineServer" | "defineTool" | "defineResource">;

/** Writes `src/mcp/` as a project has it, and loads it with the built runtime, which shares no module with what tests it. */
async function load(choices: Partial<LayerChoices>): Promise<Layer> {
  const folder = temporaryFolder();
  linkPackages(folder, ["yaml"]);
  writeFiles(join(folder, "mcp"), await emitFolder(choices));
  const layer: Layer = await import(pathToFileURL(join(folder, "mcp", "index.ts")).href);
  return layer;
}

const ids = revisions.map(({ id }) => id);

describe("a server of a project in the same process", () => {
  test.each<[string, Partial<LayerChoices>]>([
    ...ids.map((id): [string, Partial<LayerChoices>] => [id, { revisions: [id] }]),
    ["every revision at the edge", { revisions: ids, transports: ["worker"] }],
  ])(
    "a server responds at %s",
    async (_what, choices) => {
      const { defineServer, defineTool } = await load(choices);
      const echo = defineTool({ name: "echo", execute: (_none, { revision }) => revision });
      await using client = await connectInMemory<Declarations>(
        defineServer({ name: "a", version: "1", tools: [echo] }),
      );
      const spoken = choices.revisions?.[0];
      expect(client.revision.id).toBe(spoken);
      expect(await client.callTool("echo")).toMatchObject({ content: [{ type: "text", text: spoken }] });
      expect((await client.listTools()).map(({ name }) => name)).toEqual(["echo"]);
      await expect(client.callTool("none")).rejects.toMatchObject({ name: "PeerError", code: -32602 });
    },
    60_000,
  );

  test.each<[string, readonly string[]]>([
    ["two revisions with sessions", [...ids.slice(1, 2), ...ids.slice(-1)]],
    ["every revision", ids],
  ])(
    "a server with %s sends each client the members of its revision",
    async (_what, chosen) => {
      const { defineServer, defineTool } = await load({ revisions: chosen });
      const echo = defineTool({ name: "echo", title: "Echo", execute: () => "" });
      for (const id of chosen) {
        const server = defineServer({ name: "a", version: "1", tools: [echo] });
        const spoken = revisions.filter((revision) => revision.id === id);
        await using client = await connectInMemory<Declarations>(server, { revisions: spoken });
        const titled = { name: "echo", title: "Echo", inputSchema: { type: "object" } };
        const { title: _title, ...untitled } = titled;
        expect(client.revision.id).toBe(id);
        const [tool] = await client.listTools();
        expect(tool).toMatchObject(id >= "2025-06-18" ? titled : untitled);
        expect(tool !== undefined && "title" in tool).toBe(id >= "2025-06-18");
      }
    },
    60_000,
  );

  test.each([
    ["2026-07-28", ["2026-07-28"]],
    ["2025-11-25", ["2025-11-25"]],
    ["2025-11-25 among all revisions", ids],
  ])(
    "elicitation, progress and reading of a resource work at %s",
    async (name, chosen) => {
      const { defineServer, defineTool, defineResource } = await load({ revisions: chosen, features });
      const spoken = revisions.filter(({ id }) => name.startsWith(id));
      const ask = defineTool({
        name: "ask",
        async execute(_none, { elicit, progress }) {
          await progress(1, 2);
          const { content } = await elicit("Who?", { type: "object", properties: { name: { type: "string" } } });
          return `Hello ${content?.name}`;
        },
      });
      const text = defineResource({ uri: "test://a", name: "a", read: () => "text" });
      const server = defineServer({ name: "a", version: "1", tools: [ask], resources: [text] });
      await using client = await connectInMemory<Declarations>(server, {
        revisions: spoken,
        elicitation: { form: () => ({ action: "accept", content: { name: "you" } }) },
      });
      const seen: number[] = [];
      const onProgress = ({ progress }: { readonly progress: number }): unknown => seen.push(progress);
      const result = await client.callTool("ask", {}, { onProgress });
      expect(result).toMatchObject({ content: [{ text: "Hello you" }] });
      expect(seen).toContain(1);
      expect(await client.readResource("test://a")).toMatchObject({ contents: [{ text: "text" }] });
    },
    60_000,
  );

  test("a server of another version is rejected with the command that updates it", async () => {
    const stranger = { info: { name: "a" }, revisions: [], createAcceptor() {}, implement() {}, join() {} };
    await expect(connectInMemory<Declarations>(stranger)).rejects.toThrow("create-mcp-server update");
  });
});
