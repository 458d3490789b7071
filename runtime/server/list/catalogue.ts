/** Definitions shown in a list. */
export interface Listed<Definition> extends Iterable<Definition> {
  /** Increases with every change. */
  readonly version: number;
  /** Returns the version in which a definition was last added or replaced: what was derived from it before may differ now. */
  changedAt(definition: Definition): number;
}

/** Definitions of one kind that may change while the server runs. Clients are notified of changes. */
export interface Catalogue<Definition> extends Listed<Definition> {
  readonly size: number;
  get(key: string): Definition | undefined;
  /**
   * Adds a definition.
   *
   * @throws {Error} when the definition cannot be served, when its name or URI is taken, or when the list may not change
   */
  add(definition: Definition): void;
  /**
   * Replaces the definition with the same name or URI.
   *
   * @throws {Error} when there is none, when the new definition cannot be served, or when the list may not change
   */
  replace(definition: Definition): void;
  /**
   * Removes a definition. Returns `true` if there was one.
   *
   * @throws {Error} when the list may not change
   */
  remove(key: string): boolean;
  /**
   * Notifies clients of a changed list although no definition changed, for example because other definitions are visible now.
   *
   * @throws {Error} when the list may not change
   */
  notifyListChanged(): void;
}

/** Returns a view of a catalogue: the definitions for one list. */
export function selectFrom<Definition>(
  catalogue: Listed<Definition>,
  isMeant: (definition: Definition) => boolean,
): Listed<Definition> {
  return {
    get version() {
      return catalogue.version;
    },
    changedAt: (definition) => catalogue.changedAt(definition),
    *[Symbol.iterator]() {
      for (const definition of catalogue) if (isMeant(definition)) yield definition;
    },
  };
}

/** Rules of a catalogue for its definitions. */
export interface CatalogueRules<Definition> {
  /** Name of one definition in error messages, such as `tool`. */
  readonly noun: string;
  keyOf(definition: Definition): string;
  /**
   * Checks a definition before it is added.
   *
   * @throws {Error} when the definition cannot be served
   */
  check(definition: Definition): void;
  /**
   * Called before every change.
   *
   * @throws {Error} when the list may not change
   */
  permit(): void;
  onChange(): void;
}

/** Creates a catalogue of checked definitions. */
export function createCatalogue<Definition extends object>(
  definitions: readonly Definition[],
  rules: CatalogueRules<Definition>,
): Catalogue<Definition> {
  return new LiveCatalogue(definitions, rules);
}

class LiveCatalogue<Definition extends object> implements Catalogue<Definition> {
  version = 0;
  readonly #byKey: Map<string, Definition>;
  readonly #changedAt = new WeakMap<Definition, number>();
  readonly #rules: CatalogueRules<Definition>;

  constructor(definitions: readonly Definition[], rules: CatalogueRules<Definition>) {
    this.#byKey = new Map(definitions.map((definition) => [rules.keyOf(definition), definition]));
    this.#rules = rules;
  }

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): Definition | undefined {
    return this.#byKey.get(key);
  }

  changedAt(definition: Definition): number {
    return this.#changedAt.get(definition) ?? 0;
  }

  [Symbol.iterator](): Iterator<Definition> {
    return this.#byKey.values();
  }

  add(definition: Definition): void {
    const { noun, keyOf } = this.#rules;
    const key = keyOf(definition);
    if (this.#byKey.has(key)) throw new Error(`The ${noun} ${JSON.stringify(key)} already exists; replace it instead`);
    this.#set(key, definition);
  }

  replace(definition: Definition): void {
    const { noun, keyOf } = this.#rules;
    const key = keyOf(definition);
    if (!this.#byKey.has(key)) throw new Error(`The ${noun} ${JSON.stringify(key)} does not exist; add it instead`);
    this.#set(key, definition);
  }

  remove(key: string): boolean {
    this.#rules.permit();
    const isRemoved = this.#byKey.delete(key);
    if (isRemoved) this.#change();
    return isRemoved;
  }

  notifyListChanged(): void {
    this.#rules.permit();
    this.#rules.onChange();
  }

  #set(key: string, definition: Definition): void {
    this.#rules.permit();
    this.#rules.check(definition);
    this.#byKey.set(key, definition);
    this.#changedAt.set(definition, this.version + 1);
    this.#change();
  }

  #change(): void {
    this.version += 1;
    this.#rules.onChange();
  }
}
