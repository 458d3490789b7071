import type {
  Contract,
  PromptArgument,
  PromptEntry,
  ResourceEntry,
  ResourceTemplateEntry,
  ToolEntry,
} from "./contract.ts";
import { compareToolSchemas } from "./compare-schemas.ts";
import type { ContractChange, Impact } from "./impact.ts";
import { diffByKey } from "../../internal/diff-by-key.ts";

/** Lists all differences between two contracts, beginning with the server itself. */
export function compareContracts(older: Contract, newer: Contract): ContractChange[] {
  return [
    ...compareRevisions(older, newer),
    ...compareCapabilities(older, newer),
    ...compareLists(older.tools, newer.tools, { kind: "tool", keyOf: ({ name }) => name, compare: compareTools }),
    ...compareLists(older.prompts, newer.prompts, {
      kind: "prompt",
      keyOf: ({ name }) => name,
      compare: comparePrompts,
    }),
    ...compareLists(older.resourceTemplates, newer.resourceTemplates, {
      kind: "resource template",
      keyOf: ({ uriTemplate }) => uriTemplate,
      compare: compareResources,
    }),
    ...compareLists(older.resources, newer.resources, {
      kind: "resource",
      keyOf: ({ uri }) => uri,
      compare: compareResources,
      // Single resources come and go with the data of a server.
      removed: "risky",
    }),
  ];
}

/** Compares the revisions if both are known. */
function compareRevisions({ revision: before }: Contract, { revision: after }: Contract): ContractChange[] {
  if (before === "" || after === "" || before === after) return [];
  const client = after > before ? "additive" : "risky";
  const detail = `revision changed from ${before} to ${after}`;
  return [{ kind: "changed", subject: "server", detail, client, server: "neutral" }];
}

function compareCapabilities({ capabilities: before }: Contract, { capabilities: after }: Contract): ContractChange[] {
  if (!before || !after) return [];
  return diffByKey(before, after, {
    keyOf: (path) => path,
    whole: (kind, path) => {
      const client = kind === "added" ? "additive" : "risky";
      return { kind, subject: `capability ${path}`, detail: kind, client, server: "neutral" };
    },
    compare: () => [],
  });
}

interface ListRule<Entry> {
  readonly kind: string;
  readonly keyOf: (entry: Entry) => string;
  readonly compare: (older: Entry, newer: Entry, subject: string) => ContractChange[];
  /** Impact on the client when an entry is removed. Default `breaking`. */
  readonly removed?: Impact;
}

function compareLists<Entry>(
  older: readonly Entry[],
  newer: readonly Entry[],
  { kind, keyOf, compare, removed = "breaking" }: ListRule<Entry>,
): ContractChange[] {
  const before = new Map(older.map((entry) => [keyOf(entry), entry]));
  const after = new Map(newer.map((entry) => [keyOf(entry), entry]));
  const changes: ContractChange[] = [];
  for (const [key, entry] of before) {
    const found = after.get(key);
    const subject = `${kind} ${key}`;
    if (found) changes.push(...compare(entry, found, subject));
    else changes.push({ kind: "removed", subject, detail: "removed", client: removed, server: "neutral" });
  }
  for (const key of after.keys()) {
    if (before.has(key)) continue;
    changes.push({
      kind: "added",
      subject: `${kind} ${key}`,
      detail: "added",
      client: "additive",
      server: "neutral",
    });
  }
  return changes;
}

function compareTools(older: ToolEntry, newer: ToolEntry, subject: string): ContractChange[] {
  return [
    ...compareText(older.title, newer.title, { subject, what: "title", client: "neutral" }),
    ...compareText(older.description, newer.description, { subject, what: "description", client: "risky" }),
    ...compareHints(older, newer, subject),
    ...compareToolSchemas(older, newer, subject),
  ];
}

/** Compares the annotations of a tool: hosts decide by them whether to require consent of the user. */
function compareHints(older: ToolEntry, newer: ToolEntry, subject: string): ContractChange[] {
  return hints.flatMap(({ name, assumed }) => {
    const before = older.annotations?.[name] ?? assumed;
    const after = newer.annotations?.[name] ?? assumed;
    if (before === after) return [];
    const detail = `annotation ${name} changed from ${String(before)} to ${String(after)}`;
    return [{ kind: "changed", subject, detail, client: "risky", server: "neutral" } as const];
  });
}

/** Defaults of missing annotations. */
const hints = [
  { name: "readOnlyHint", assumed: false },
  { name: "destructiveHint", assumed: true },
  { name: "idempotentHint", assumed: false },
  { name: "openWorldHint", assumed: true },
] as const;

function comparePrompts(older: PromptEntry, newer: PromptEntry, subject: string): ContractChange[] {
  return [
    ...compareText(older.title, newer.title, { subject, what: "title", client: "neutral" }),
    ...compareText(older.description, newer.description, { subject, what: "description", client: "neutral" }),
    ...compareArguments(older.arguments, newer.arguments, subject),
  ];
}

function compareArguments(
  older: readonly PromptArgument[],
  newer: readonly PromptArgument[],
  subject: string,
): ContractChange[] {
  const change = (name: string, detail: string, client: Impact, kind: ContractChange["kind"]): ContractChange => {
    return { kind, subject: `${subject}, argument ${name}`, detail, client, server: "neutral" };
  };
  return diffByKey(older, newer, {
    keyOf: ({ name }) => name,
    whole: (kind, { name, required }) => {
      if (kind === "removed") return change(name, "removed", "breaking", kind);
      return required ? change(name, "added as required", "breaking", kind) : change(name, "added", "additive", kind);
    },
    compare: (before, { name, required }) => {
      if (before.required === required) return [];
      const detail = required ? "now required" : "now optional";
      return [change(name, detail, required ? "breaking" : "additive", "changed")];
    },
  });
}

function compareResources(
  older: ResourceEntry | ResourceTemplateEntry,
  newer: ResourceEntry | ResourceTemplateEntry,
  subject: string,
): ContractChange[] {
  return [
    ...compareText(older.name, newer.name, { subject, what: "name", client: "neutral" }),
    ...compareText(older.title, newer.title, { subject, what: "title", client: "neutral" }),
    ...compareText(older.description, newer.description, { subject, what: "description", client: "neutral" }),
    ...compareText(older.mimeType, newer.mimeType, { subject, what: "MIME type", client: "risky" }),
  ];
}

/** Compares texts. Models read the descriptions of tools, and may act differently after a change of a word. */
function compareText(
  older: string | undefined,
  newer: string | undefined,
  { subject, what, client }: { readonly subject: string; readonly what: string; readonly client: Impact },
): ContractChange[] {
  if (older === newer) return [];
  return [{ kind: "changed", subject, detail: `${what} changed`, client, server: "neutral" }];
}
