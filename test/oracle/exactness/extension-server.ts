import type { Declarations } from "../../../generated/2026-07-28/index.ts";
import { revisions } from "../../../generated/revisions.ts";
import type { Revision } from "../../../generated/support.ts";
import { RpcError } from "../../../runtime/jsonrpc/errors.ts";
import { forRevisions } from "../../../runtime/server/for-revisions.ts";
import { createServer, type Server } from "../../../runtime/server/create-server.ts";
import { createUiResource } from "../../../runtime/server/apps/ui-resource.ts";
import { createSkill } from "../../../runtime/skills/create-skill.ts";

const { defineTool } = forRevisions<Declarations>(revisions);

const skill = await createSkill({
  folder: "acme",
  frontmatter: { name: "refunds", description: "How refunds are made", license: "MIT" },
  body: "Politely.",
});

const board = createUiResource({
  uri: "ui://exact/board",
  name: "board",
  html: "<!doctype html>\n<title>Board</title>",
  csp: { connectDomains: ["https://api.example.com"] },
  permissions: { clipboardWrite: {} },
  domain: "board.example.com",
  prefersBorder: true,
});

const task = { pollInterval: 5 };

const tools = [
  defineTool({ name: "show", ui: { resourceUri: "ui://exact/board", visibility: ["app"] }, execute: () => "3 open" }),
  defineTool({ name: "work", task, execute: () => "done" }),
  defineTool({
    name: "asks",
    task,
    async execute(_args, { elicit }) {
      const { action } = await elicit({ message: "Go on?", requestedSchema: { type: "object", properties: {} } });
      return action;
    },
  }),
  defineTool({ name: "fails", task, execute: () => Promise.reject(new RpcError(-32000, "stop")) }),
  defineTool({
    name: "endless",
    task,
    execute: (_args, { signal }) =>
      new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("stopped"), { once: true })),
  }),
];

/** A definition that uses everything that the extensions of this package have. */
export function createExtendedServer(served: readonly Revision[] = revisions): Server {
  return createServer(
    {
      name: "extended",
      version: "1",
      tools,
      skills: [skill],
      directoryRead: true,
      resources: [board],
      onError: () => {},
    },
    served,
  );
}
