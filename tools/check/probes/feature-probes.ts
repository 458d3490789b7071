import { expectCode } from "./message-probes.ts";
import type { Probe, ProbeContext, Observation } from "./probe.ts";
import { textOf } from "../server-text.ts";

const base = "https://modelcontextprotocol.io/specification/2026-07-28/server";

/** Probes of tools, prompts and resources. */
export const featureProbes: readonly Probe[] = [
  {
    rule: {
      id: "unknown-tool",
      title: "An unknown tool is rejected with -32602",
      severity: "warning",
      help: `${base}/tools#error-handling`,
    },
    applies: ({ conversation }) => conversation.has("tools"),
    run: async ({ conversation }) =>
      expectCode(
        "tools/call of an unknown tool",
        await conversation.ask("tools/call", { name: unknownName, arguments: {} }, { checks: false }),
        [-32602],
        "throw a JSON-RPC error -32602; isError is for failures of tools that exist",
      ),
  },
  {
    rule: {
      id: "tool-without-name",
      title: "A tool call without a name is rejected with -32602",
      severity: "warning",
      help: `${base}/tools`,
    },
    applies: ({ conversation }) => conversation.has("tools"),
    run: async ({ conversation }) =>
      expectCode(
        "tools/call without a name",
        await conversation.ask("tools/call", {}, { checks: false }),
        [-32602],
        "check the params of requests and return -32602 (invalid params)",
      ),
  },
  {
    rule: {
      id: "unknown-prompt",
      title: "An unknown prompt is rejected with -32602",
      severity: "warning",
      help: `${base}/prompts#error-handling`,
    },
    applies: ({ conversation }) => conversation.has("prompts"),
    run: async ({ conversation }) =>
      expectCode(
        "prompts/get of an unknown prompt",
        await conversation.ask("prompts/get", { name: unknownName }, { checks: false }),
        [-32602],
        "return -32602 (invalid params)",
      ),
  },
  {
    rule: {
      id: "unknown-resource",
      title: "An unknown resource is rejected with the code for it",
      severity: "warning",
      help: `${base}/resources#error-handling`,
    },
    applies: ({ conversation }) => conversation.has("resources"),
    run: async ({ conversation, revision }) => {
      const own = revision.errors.resourceNotFound;
      const code = own?.emitted === false ? -32602 : (own?.code ?? -32602);
      const response = await conversation.ask("resources/read", { uri: `${unknownName}://nowhere` }, { checks: false });
      return expectCode("resources/read of an unknown URI", response, [code], `return ${code}`);
    },
  },
  {
    rule: {
      id: "invalid-cursor",
      title: "An unknown cursor is rejected with -32602",
      severity: "note",
      help: `${base}/utilities/pagination#error-handling`,
    },
    applies: ({ conversation }) => conversation.has("tools"),
    run: async ({ conversation }) =>
      expectCode(
        "tools/list with an unknown cursor",
        await conversation.ask("tools/list", { cursor: unknownName }, { checks: false }),
        [-32602],
        "reject unknown cursors with -32602 (invalid params)",
      ),
  },
  {
    rule: {
      id: "names-are-unique",
      title: "Names in a list are unique",
      severity: "error",
      help: `${base}/tools#tool`,
    },
    run: ({ lists }) => [
      ...repeated("tool", lists.tools, "name"),
      ...repeated("prompt", lists.prompts, "name"),
      ...repeated("resource", lists.resources, "uri"),
      ...repeated("resource template", lists.resourceTemplates, "uriTemplate"),
    ],
  },
];

const unknownName = "doctor-no-such-thing";

function repeated(kind: string, list: ProbeContext["lists"]["tools"], key: string): Observation[] {
  const seen = new Set<unknown>();
  const twice = new Set<unknown>();
  for (const { [key]: name } of list) (seen.has(name) ? twice : seen).add(name);
  return [...twice].map((name) => ({
    subject: `${kind} ${textOf(name)}`,
    message: "it is listed more than once",
    fix: "use unique names, and return each item on one page only",
  }));
}
