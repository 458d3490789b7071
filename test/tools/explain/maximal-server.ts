import { z } from "zod";
import type { Declarations } from "../../../generated/2026-07-28/index.ts";
import { revisions } from "../../../generated/revisions.ts";
import { forRevisions } from "../../../runtime/server/for-revisions.ts";
import type { Server } from "../../../runtime/server/create-server.ts";

const { defineServer, defineTool, definePrompt, defineResource } = forRevisions<Declarations>(revisions);

const icons = [{ src: "https://example.com/icon.png", mimeType: "image/png" }];

/** A module that exports a server, and does not serve it. */
export const server: Server = defineServer({
  name: "maximal",
  version: "1.0.0",
  title: "Maximal",
  icons,
  tools: [
    defineTool({
      name: "report",
      title: "ErrorReport",
      icons,
      annotations: { readOnlyHint: true },
      outputSchema: z.object({ total: z.number() }),
      execute: () => ({ total: 1 }),
    }),
    defineTool({ name: "plain", execute: () => "plain" }),
  ],
  resources: [defineResource({ uri: "file:///a", name: "a", title: "A", read: () => "" })],
  prompts: [definePrompt({ name: "p\u001b[2J", arguments: { x: { title: "X" } }, get: () => "" })],
});
