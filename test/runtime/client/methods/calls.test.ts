import { describe, expect, test } from "vitest";
import * as v2024 from "../../../../generated/2024-11-05/index.ts";
import * as v2025 from "../../../../generated/2025-11-25/index.ts";
import * as v2026 from "../../../../generated/2026-07-28/index.ts";
import { forRevisions } from "../../../../runtime/server/for-revisions.ts";
import { connectInMemory } from "../../../../runtime/testing/connect-to.ts";

const revisions = [v2026.revision, v2025.revision, v2024.revision];
const { defineServer, defineTool } = forRevisions<v2026.Declarations>(revisions);
const server = defineServer({
  name: "test",
  version: "1",
  tools: [defineTool({ name: "revision", execute: (_args, { revision, meta }) => `${revision} ${String(meta.mine)}` })],
});

describe("generated calls over a session", () => {
  test("ClientCalls of a stateless revision leave the metadata to the session", async () => {
    await using session = await connectInMemory<v2026.Declarations>(server, { revisions: [v2026.revision] });
    const calls = new v2026.ClientCalls(session);
    expect((await calls.listTools()).tools).toMatchObject([{ name: "revision" }]);
    expect(await calls.callTool({ name: "revision", _meta: { mine: 1 } })).toMatchObject({
      resultType: "complete",
      content: [{ type: "text", text: "2026-07-28 1" }],
    });
    expect((await calls.discover()).supportedVersions).toContain("2026-07-28");
  });

  test.each([
    ["2025-11-25", v2025],
    ["2024-11-05", v2024],
  ])("ClientCalls of %s are made over a session of the revision", async (id, { revision, ClientCalls }) => {
    await using session = await connectInMemory<v2025.Declarations>(server, { revisions: [revision] });
    const calls = new ClientCalls(session);
    expect((await calls.listTools()).tools).toMatchObject([{ name: "revision" }]);
    expect(await calls.callTool({ name: "revision", _meta: { mine: 2 } })).toMatchObject({
      content: [{ type: "text", text: `${id} 2` }],
    });
  });
});
