/** Definitions that are shown in a list. */
export interface Listed<Definition> extends Iterable<Definition> {
  // @part changes
  /** Grows with every change; not there where nothing ever changes. */
  readonly version?: number | undefined;
}

/** Definitions of one kind, each under its name or URI. They stay as they are. */
export interface FixedList<Definition> extends Listed<Definition> {
  readonly size: number;
  get(key: string): Definition | undefined;
}

/** Definitions of one kind that may change while the server runs: clients are told. */
export interface Catalogue<Definition> extends FixedList<Definition> {
  readonly version: number;
  /** Adds a definition; throws when it cannot be served, or when its name or URI is taken. */
  add(definition: Definition): void;
  /** Puts a definition in the place of the one with its name or URI; throws when there is none. */
  replace(definition: Definition): void;
  /** Takes a definition out. Returns whether there was one. */
  remove(key: string): boolean;
  /** Tells clients to read the list again although no definition changed, for example because others are visible now. */
  announce(): void;
}

/** A part of a catalogue, for a list. */
export function selectFrom<Definition>(
  catalogue: Listed<Definition>,
  isMeant: (definition: Definition) => boolean,
): Listed<Definition> {
  return {
    get version() {
      return catalogue.version;
    },
    *[Symbol.iterator]() {
      for (const definition of catalogue) if (isMeant(definition)) yield definition;
    },
  };
}

/** What a catalogue needs to know about its definitions. */
export interface CatalogueRules<Definition> {
  /** What one definition is called in messages to people. */
  readonly noun: string;
  keyOf(definition: Definition): string;
  /** Throws when a definition cannot be served. */
  check(definition: Definition): void;
  /** Called before every change; throws when there must be none. */
  permit(): void;
  changed(): void;
}

/** Makes a catalogue of definitions that were checked before. */
export function createCatalogue<Definition>(
  definitions: readonly Definition[],
  rules: CatalogueRules<Definition>,
): Catalogue<Definition> {
  return new LiveCatalogue(definitions, rules);
}

class LiveCatalogue<Definition> implements Catalogue<Definition> {
  version = 0;
  readonly #byKey: Map<string, Definition>;
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

  [Symbol.iterator](): Iterator<Definition> {
    return this.#byKey.values();
  }

  add(definition: Definition): void {
    const { noun, keyOf } = this.#rules;
    const key = keyOf(definition);
    if (this.#byKey.has(key)) throw new Error(`There is a ${noun} ${JSON.stringify(key)} already: replace it instead.`);
    this.#set(key, definition);
  }

  replace(definition: Definition): void {
    const { noun, keyOf } = this.#rules;
    const key = keyOf(definition);
    if (!this.#byKey.has(key)) throw new Error(`There is no ${noun} ${JSON.stringify(key)}: add it instead.`);
    this.#set(key, definition);
  }

  remove(key: string): boolean {
    this.#rules.permit();
    const isRemoved = this.#byKey.delete(key);
    if (isRemoved) this.#change();
    return isRemoved;
  }

  announce(): void {
    this.#rules.permit();
    this.#rules.changed();
  }

  #set(key: string, definition: Definition): void {
    this.#rules.permit();
    this.#rules.check(definition);
    this.#byKey.set(key, definition);
    this.#change();
  }

  #change(): void {
    this.version += 1;
    this.#rules.changed();
  }
}
