import type { Revision } from "../../../generated/support.ts";
import { listKinds, type ListKind } from "../../protocol/methods/list-kinds.ts";
import { createCatalogue, type Catalogue, type CatalogueRules } from "./catalogue.ts";
import { createListChanges } from "./list-changed.ts";
import type { SessionRegistry } from "../subscriptions/session-registry.ts";
import type { Feature } from "../feature.ts";
import type { AnyCoreDefinition, AnyTool } from "../any-definition.ts";
import { checkTool, describeTool } from "../tools/registry.ts";
import type { ToolRules } from "./registry-options.ts";

/** Members of a server whose tools may change. */
export interface ToolLists {
  /** Tools of the server. They may change until the server is served, and afterwards if the definition names them in `listChanged`. */
  readonly tools: Catalogue<AnyTool>;
}

/** Creates and checks the lists of a server. */
export interface ListHost {
  readonly sessions: SessionRegistry;
  /** Creates a list that may change after the server is served if `listChanged` names its kind. Clients are notified of changes. */
  createList<Definition extends object>(
    kind: ListKind,
    definitions: readonly Definition[],
    rules: Pick<CatalogueRules<Definition>, "noun" | "keyOf" | "check"> & {
      /** Returns what clients see of a definition, as JSON. Default: its members that JSON has. */
      describe?(definition: Definition): object;
    },
  ): Catalogue<Definition>;
  /**
   * Checks definitions that are added later.
   *
   * @throws {SetupError} at the first mistake
   */
  check(offer: object): void;
}

/** Creates the list of tools of a definition. Tools that are added later must fit every revision, because clients of each may be connected. */
export function createToolList(
  { tools = [] }: AnyCoreDefinition,
  host: ListHost,
  { revisions, toolRules }: { readonly revisions: readonly Revision[]; readonly toolRules: ToolRules },
): Catalogue<AnyTool> {
  return host.createList("tools", tools, {
    noun: "tool",
    keyOf: ({ name }) => name,
    describe: (tool) => revisions.slice(0, 1).map((newest) => describeTool(tool, newest, toolRules)),
    check(tool) {
      checkTool(tool);
      for (const revision of revisions) describeTool(tool, revision, toolRules);
    },
  });
}

/** State of the server that its lists depend on. */
interface ListOwner {
  readonly sessions: SessionRegistry;
  readonly features: readonly Feature[];
  readonly revisions: readonly Revision[];
  isServed(): boolean;
  rebuild(): void;
}

/** Creates the host of the lists of a server, and a function that finds the kinds of lists that it offers. */
export function createListHost(
  source: AnyCoreDefinition,
  { sessions, features, revisions, isServed, rebuild }: ListOwner,
): {
  readonly host: ListHost;
  isOffered(kind: ListKind): boolean;
  /** Returns what clients see of the lists that may change, as JSON texts. */
  describeLists(): ReadonlyMap<ListKind, string>;
} {
  const changeable = readListChanged(source);
  const notify = createListChanges(sessions);
  const made: MadeList[] = [];
  const host: ListHost = {
    sessions,
    createList(kind, definitions, rules) {
      const list = createCatalogue(definitions, {
        ...rules,
        permit() {
          if (isServed() && !changeable.has(kind)) throw notListChanged(kind);
        },
        onChange: () => (isServed() ? notify(kind) : rebuild()),
      });
      made.push({ kind, list, describe: () => [...list].map((one) => rules.describe?.(one) ?? one) });
      return list;
    },
    check(offer) {
      for (const feature of features) feature.check?.(offer, revisions);
    },
  };
  const isShown = (kind: ListKind): boolean => made.some((one) => one.kind === kind && one.list.size > 0);
  return {
    host,
    isOffered: (kind) => changeable.has(kind) || isShown(kind),
    describeLists: () => new Map([...changeable].map((kind) => [kind, describeKind(made, kind)])),
  };
}

interface MadeList {
  readonly kind: ListKind;
  readonly list: { readonly size: number };
  describe(): readonly unknown[];
}

function describeKind(made: readonly MadeList[], kind: ListKind): string {
  return JSON.stringify(made.filter((one) => one.kind === kind).map((one) => one.describe()));
}

/** Returns the lists that may change. They are offered even while they are empty. */
export function readListChanged({ listChanged = [] }: AnyCoreDefinition): ReadonlySet<ListKind> {
  return new Set(listChanged === true ? listKinds : listChanged);
}

function notListChanged(kind: ListKind): Error {
  return new Error(`The ${kind} of a served server cannot change; define the server with \`listChanged: ["${kind}"]\``);
}
