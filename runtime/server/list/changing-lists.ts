import { listKinds, type ListKind } from "../../protocol/list-kinds.ts";
import { createCatalogue, type Catalogue, type CatalogueRules } from "./catalogue.ts";
import { createListChanges } from "./list-changed.ts";
import type { SessionRegistry } from "../subscriptions/session-registry.ts";
import type { CreateLists, ListNeeds } from "../feature-parts.ts";
import type { AnyCoreDefinition, AnyTool } from "../any-definition.ts";
import { checkTool, describeTool } from "../tools/registry.ts";

/** What a server has whose tools may change. */
export interface ToolLists {
  /** The tools. They may change until the server is served, and afterwards as far as the definition says `dynamic`. */
  readonly tools: Catalogue<AnyTool>;
}

/** Where the lists of a server come from. */
export interface ListHost {
  readonly sessions: SessionRegistry;
  /** A list that may change as far as the definition says `dynamic`; clients are told. */
  createList<Definition>(
    kind: ListKind,
    definitions: readonly Definition[],
    rules: Pick<CatalogueRules<Definition>, "noun" | "keyOf" | "check">,
  ): Catalogue<Definition>;
  /** Finds mistakes in what comes later; throws at the first. */
  check(offer: object): void;
}

/** For a server whose lists may change: its tools, and what else `createMore` makes of its definition. */
export function createChangingLists<More extends object, Source extends AnyCoreDefinition>(
  createMore: (source: Source, host: ListHost) => More,
): CreateLists<ToolLists & More, Source> {
  return (source, needs) => {
    const { host, isOffered } = createListHost(source, needs);
    const tools = host.createList("tools", source.tools ?? [], {
      noun: "tool",
      keyOf: ({ name }) => name,
      check: (tool) => checkLateTool(tool, needs),
    });
    return { tools, lists: { tools, ...createMore(source, host) }, isOffered };
  };
}

function createListHost(
  source: AnyCoreDefinition,
  { sessions, features, isServed, rebuild }: ListNeeds,
): { readonly host: ListHost; isOffered(kind: ListKind): boolean } {
  const dynamic = toDynamic(source);
  const announce = createListChanges(sessions);
  const made: { readonly kind: ListKind; readonly list: { readonly size: number } }[] = [];
  const host: ListHost = {
    sessions,
    createList(kind, definitions, rules) {
      const list = createCatalogue(definitions, {
        ...rules,
        permit() {
          if (isServed() && !dynamic.has(kind)) throw notDynamic(kind);
        },
        changed: () => (isServed() ? announce(kind) : rebuild()),
      });
      made.push({ kind, list });
      return list;
    },
    check(offer) {
      for (const feature of features) feature.check?.(offer);
    },
  };
  const isShown = (kind: ListKind): boolean => made.some((one) => one.kind === kind && one.list.size > 0);
  return { host, isOffered: (kind) => dynamic.has(kind) || isShown(kind) };
}

/** Lists that may change, so that they are offered even while they are empty. */
export function toDynamic({ dynamic = [] }: AnyCoreDefinition): ReadonlySet<ListKind> {
  return new Set(dynamic === true ? listKinds : dynamic);
}

/** A tool that comes later must fit every revision at once: clients of each may be there. */
function checkLateTool(tool: AnyTool, { revisions, toolRules }: ListNeeds): void {
  checkTool(tool);
  for (const revision of revisions) describeTool(tool, revision, toolRules);
}

function notDynamic(kind: ListKind): Error {
  return new Error(
    `The ${kind} of a server that is being served stay as they are: define it with \`dynamic: ["${kind}"]\`.`,
  );
}
