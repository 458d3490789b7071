import { isObject } from "../../generated/support.ts";
import type { Conversation } from "./conversation.ts";
import type { CheckResult, Rule } from "./finding.ts";
import { expectResult } from "./probes/message-probes.ts";
import { toFinding, type Lists, type Observation } from "./probes/probe.ts";

const listRule = {
  id: "lists",
  title: "Declared lists can be read to the last page",
  severity: "error",
  help: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination",
} as const satisfies Rule;

/** Reads the lists declared by a server, page by page to the end. */
export async function readLists(
  conversation: Conversation,
): Promise<{ readonly lists: Lists; readonly result: CheckResult }> {
  const findings: CheckResult["findings"][number][] = [];
  const read = async (capability: string, method: string, key: string): Promise<Lists["tools"]> => {
    if (!conversation.has(capability)) return [];
    const { items, problem } = await readList(conversation, method, key);
    if (problem) findings.push(toFinding(listRule, problem));
    return items;
  };
  const lists: Lists = {
    tools: await read("tools", "tools/list", "tools"),
    prompts: await read("prompts", "prompts/list", "prompts"),
    resources: await read("resources", "resources/list", "resources"),
    resourceTemplates: await readTemplates(conversation),
  };
  return { lists, result: { rule: listRule, revision: conversation.revision.id, findings } };
}

/** Reads the resource templates. Templates are part of resources, but servers without templates often do not know the method. */
async function readTemplates(conversation: Conversation): Promise<Lists["tools"]> {
  if (!conversation.has("resources")) return [];
  const { items } = await readList(conversation, "resources/templates/list", "resourceTemplates");
  return items;
}

/** Number of pages after which a list is not read further: it may have no end. */
const maxPages = 100;

/** Number of items after which a list is not read further. */
const maxItems = 10_000;

async function readList(
  conversation: Conversation,
  method: string,
  key: string,
): Promise<{ readonly items: Lists["tools"]; readonly problem?: Observation }> {
  let items: Lists["tools"] = [];
  const seen = new Set<unknown>();
  let params: { cursor?: string } = {};
  for (let page = 0; page < maxPages; page += 1) {
    const response = await conversation.ask(method, params);
    const isPastEnd = params.cursor === "" && (response.kind !== "result" || seen.has(response.result.nextCursor));
    if (isPastEnd) return { items, problem: emptyCursor(method) };
    if (response.kind !== "result") {
      const [problem] = expectResult(method, response, "implement it, or do not declare the capability");
      return { items, ...(problem && { problem }) };
    }
    const found = response.result[key];
    items = [...items, ...(Array.isArray(found) ? found.filter(isObject) : [])];
    if (items.length > maxItems) return { items: items.slice(0, maxItems), problem: tooLong(method, "10,000 items") };
    const { nextCursor } = response.result;
    if (typeof nextCursor !== "string") return { items };
    if (seen.has(nextCursor)) {
      return {
        items,
        problem: {
          subject: method,
          message: "it returns the same cursor twice, so the list never ends",
          fix: "omit nextCursor on the last page",
        },
      };
    }
    seen.add(nextCursor);
    params = { cursor: nextCursor };
  }
  return { items, problem: tooLong(method, `${maxPages} pages`) };
}

function emptyCursor(method: string): Observation {
  return {
    subject: method,
    message: "it ends with an empty cursor, which clients follow: an empty string is a cursor",
    fix: "omit nextCursor on the last page",
    severity: "warning",
  };
}

function tooLong(method: string, limit: string): Observation {
  return {
    subject: method,
    message: `it has more than ${limit}; the others were not read`,
    fix: "omit nextCursor on the last page, and return fewer items or more of them on each page",
    severity: "warning",
  };
}
