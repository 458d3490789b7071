import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import type { Declarations } from "../../generated/2025-11-25/index.ts";
import { revisions } from "../../generated/revisions.ts";
import { emitOwnLayer } from "../../generator/create/emit-layer.ts";
import { offerings, type LayerChoices } from "../../generator/create/layer/choices.ts";
import type { RevisionDefiners } from "../../runtime/server/for-revisions.ts";
import { connectInMemory } from "../../runtime/testing/connect-to.ts";
import { temporaryFolder } from "./folder.ts";

type Layer = Pick<RevisionDefiners<Declarations>, "defineServer" | "defineTool" | "defineResource">;

/** Writes a layer as a project has it, and loads it: it shares no module with what tests it. */
async function load(choices: Partial<LayerChoices>): Promise<Layer> {
  const usual = { offers: ["tools"], transports: ["stdio"], client: false, validator: false, auth: "none" } as const;
  const folder = join(temporaryFolder(), "mcp");
  for (const [path, text] of emitOwnLayer({ revisions: [], ...usual, ...choices })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const layer: Layer = await import(pathToFileURL(join(folder, "index.ts")).href);
  return layer;
}

const ids = revisions.map(({ id }) => id);

describe("a server of an emitted layer, tested in this process", () => {
  test.each<[string, Partial<LayerChoices>]>([
    ...ids.map((id): [string, Partial<LayerChoices>] => [id, { revisions: [id] }]),
    ["every revision at the edge", { revisions: ids, transports: ["worker"] }],
  ])(
    "answers at %s",
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

  test.each(["2026-07-28", "2025-11-25"])(
    "asks, reports and is read at %s",
    async (id) => {
      const { defineServer, defineTool, defineResource } = await load({ revisions: [id], offers: offerings });
      const ask = defineTool({
        name: "ask",
        async execute(_none, { elicit, progress }) {
          await progress(1, 2);
          const { content } = await elicit({
            message: "Who?",
            requestedSchema: { type: "object", properties: { name: { type: "string" } } },
          });
          return `Hello ${String(content?.name)}`;
        },
      });
      const text = defineResource({ uri: "test://a", name: "a", read: () => "text" });
      const server = defineServer({ name: "a", version: "1", tools: [ask], resources: [text] });
      await using client = await connectInMemory<Declarations>(server, {
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

  test("is refused when it is none of this version, with what helps", async () => {
    const stranger = { info: { name: "a" }, revisions: [], createAcceptor() {}, implement() {}, join() {} };
    await expect(connectInMemory<Declarations>(stranger)).rejects.toThrow("create-mcp-server update");
  });
});
