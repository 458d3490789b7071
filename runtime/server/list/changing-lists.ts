import type { Revision } from "../../../generated/support.ts";
import { listKinds, type ListKind, listChanged } from "../../protocol/methods/list-kinds.ts";
import { createCatalogue, type Catalogue, type CatalogueRules } from "./catalogue.ts";
import type { SessionRegistry } from "../subscriptions/session-registry.ts";
import type { AnyCoreDefinition } from "../any-definition.ts";
import { inLaterTurn } from "../../internal/timers.ts";

/** Creates and checks the lists of a server. */
export type ListHost = Pick<ServerLists, "sessions" | "createList" | "check">;

/** Rules of a list, and what clients see of its definitions. */
type ListRules<Definition> = Pick<CatalogueRules<Definition>, "noun" | "keyOf" | "check"> & {
  /** Returns what clients see of a definition, as JSON. Default: its JSON members. */
  describe?(definition: Definition): object;
};

/** Lists of a server. All may change until the server is sealed, and the ones in `listChanged` afterwards. */
export class ServerLists {
  readonly sessions: SessionRegistry;
  /** Lists that may change while the server is served. They are offered even while they are empty. */
  readonly changeable: ReadonlySet<ListKind>;
  readonly #options: ListsOptions;
  readonly #notify: (kind: ListKind) => void;
  readonly #made: MadeList[] = [];
  #isSealed = false;
  #version = 0;

  constructor({ listChanged = [] }: Pick<AnyCoreDefinition, "listChanged">, options: ListsOptions) {
    this.sessions = options.sessions;
    this.changeable = new Set(listChanged === true ? listKinds : listChanged);
    this.#options = options;
    this.#notify = createListChanges(options.sessions);
  }

  /** Increases with every change before the server is sealed. */
  get version(): number {
    return this.#version;
  }

  /** True if clients may know the lists. */
  get isSealed(): boolean {
    return this.#isSealed;
  }

  /** Ends the time in which every list may change. Clients are notified of later changes. */
  seal(): void {
    this.#isSealed = true;
  }

  /** Creates a list. It may change while the server is served if `listChanged` names its kind. Clients are notified of changes. */
  createList<Definition extends object>(
    kind: ListKind,
    definitions: readonly Definition[],
    rules: ListRules<Definition>,
  ): Catalogue<Definition> {
    const list = createCatalogue(definitions, {
      ...rules,
      permit: () => this.#permit(kind),
      onChange: () => this.#change(kind),
    });
    this.#made.push({ kind, list, describe: () => [...list].map((one) => rules.describe?.(one) ?? one) });
    return list;
  }

  /**
   * Checks definitions added later.
   *
   * @throws {SetupError} at the first mistake
   */
  check(offer: object): void {
    const { features, revisions } = this.#options;
    for (const feature of features) feature.check?.(offer, revisions);
  }

  /** True if a list has entries, or may have some later. */
  isOffered(kind: ListKind): boolean {
    return this.changeable.has(kind) || this.#made.some((one) => one.kind === kind && one.list.size > 0);
  }

  /** Returns what clients see of the changeable lists, as JSON texts. */
  describeLists(): ReadonlyMap<ListKind, string> {
    return new Map([...this.changeable].map((kind) => [kind, this.#describe(kind)]));
  }

  /** Does nothing, as no request waits for a change of a list here. */
  async close(): Promise<void> {}

  #describe(kind: ListKind): string {
    return JSON.stringify(this.#made.filter((one) => one.kind === kind).map((one) => one.describe()));
  }

  #permit(kind: ListKind): void {
    if (!this.#isSealed || this.changeable.has(kind)) return;
    throw new Error(
      `The ${kind} of a served server cannot change; define the server with \`listChanged: ["${kind}"]\``,
    );
  }

  #change(kind: ListKind): void {
    if (this.#isSealed) this.#notify(kind);
    else this.#version += 1;
  }
}

interface ListsOptions {
  readonly sessions: SessionRegistry;
  readonly revisions: readonly Revision[];
  /** Features that check the definitions of lists. */
  readonly features: readonly { check?(offer: object, revisions: readonly Revision[]): void }[];
}

interface MadeList {
  readonly kind: ListKind;
  readonly list: { readonly size: number };
  describe(): readonly unknown[];
}

/** Creates a function to notify clients of changed lists: once for each list and turn of the event loop, regardless of the number of changes. */
export function createListChanges(sessions: SessionRegistry): (kind: ListKind) => void {
  const changed = new Set<ListKind>();
  return (kind) => {
    for (const audience of sessions.audiences) audience.listChanged?.(kind);
    // Promises that are about to settle may cause further changes: a timer runs after them.
    if (changed.has(kind)) return;
    changed.add(kind);
    inLaterTurn(() => {
      // First: a receiver that throws must not keep later changes from being notified.
      changed.delete(kind);
      sessions.notify(listChanged[kind], undefined);
    });
  };
}
