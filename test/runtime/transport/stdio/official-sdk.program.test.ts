import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, test } from "vitest";
import type { Progress } from "../../../../generated/support.ts";
import { createProgram } from "../../../kit/programs.ts";
import { handshakeRevisions } from "../../../kit/revisions.ts";
import { connectFixture, fixture } from "./fixture.ts";

const sdkServer = await createProgram(new URL("./fixtures/sdk-server.ts", import.meta.url));

test("the official client connects to our server over stdio", async () => {
  const client = new Client({ name: "official", version: "1" });
  await client.connect(
    new StdioClientTransport({ command: fixture.command, args: [...fixture.args], stderr: "ignore" }),
  );
  expect(client.getServerVersion()).toEqual({ name: "fixture", version: "1" });
  await client.ping();
  const call = (name: string, n: number): Promise<unknown> => client.callTool({ name, arguments: { n } });
  const results = await Promise.all([call("slow", 50), call("echo", 1), call("noisy", 0)]);
  expect(results).toEqual(["slow", "1", "noisy"].map((text) => ({ content: [{ type: "text", text }] })));
  await expect(client.listPrompts()).rejects.toMatchObject({ code: -32601 });
  await client.close();
});

test.each(handshakeRevisions.map(({ id }) => id))(
  "our client connects to the official server over stdio at %s",
  async (id) => {
    const { client, transport } = await connectFixture({
      args: [sdkServer],
      revisions: handshakeRevisions.filter((revision) => revision.id === id),
    });
    expect(client.revision.id).toBe(id);
    const progress: Progress[] = [];
    const result = await client.request(
      "tools/call",
      { name: "echo", arguments: { n: 5 } },
      { onProgress: (report) => progress.push(report) },
    );
    expect(result).toEqual({ content: [{ type: "text", text: "5" }] });
    expect(progress).toEqual([1, 2, 3].map((value) => ({ progress: value, total: 3 })));
    const controller = new AbortController();
    const waiting = client.request("tools/call", { name: "wait" }, { signal: controller.signal });
    waiting.catch(() => {});
    await expect.poll(() => transport.stderrTail).toContain("waits");
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
    expect(await client.request("ping")).toEqual({});
    await client.close();
    expect(transport.stderrTail).toContain("was cancelled");
  },
);
