import { readSourceParts, type SourcePart, type SourceParts } from "./source-parts.ts";

/** The checks of one revision. */
export interface CheckSource {
  readonly revision: string;
  /** Text of its `validate.ts`. */
  readonly text: string;
}

/**
 * The checks of several revisions, newest first, each written once: what a revision checks in the very words of a newer one, down to the last
 * function that takes part, it takes from there.
 */
export function shareChecks(sources: readonly CheckSource[]): ReadonlyMap<string, string> {
  const files = sources.map(({ revision, text }): CheckFile => new CheckFile(revision, readSourceParts(text)));
  for (const [at, file] of files.entries()) file.share(files.slice(0, at));
  return new Map(files.map((file) => [file.revision, file.text()]));
}

class CheckFile {
  readonly revision: string;
  readonly #source: SourceParts;
  readonly #checks: ReadonlyMap<string, SourcePart>;
  /** Their texts, as other files would take them. */
  readonly #texts: ReadonlyMap<string, string>;
  /** Where checks are that stand in another file. */
  readonly #owners = new Map<string, CheckFile>();
  /** Helpers that other files take. */
  readonly #given = new Set<string>();

  constructor(revision: string, source: SourceParts) {
    this.revision = revision;
    this.#source = source;
    this.#checks = new Map(source.parts.flatMap((part) => (part.name === undefined ? [] : [[part.name, part]])));
    this.#texts = new Map([...this.#checks].map(([name, { text }]) => [name, toExported(text)]));
  }

  /** Takes what is the same in one of these from the first. */
  share(newer: readonly CheckFile[]): void {
    const agreed = new Map(newer.map((other) => [other, new Set<string>()]));
    for (const name of this.#checks.keys()) {
      const owner = newer.find((other) => this.#agreesWith(other, name, agreed.get(other) ?? new Set()));
      if (!owner) continue;
      this.#owners.set(name, owner);
      owner.#given.add(name);
    }
  }

  text(): string {
    const { header, imports, parts } = this.#source;
    const own = parts.filter(({ name }) => name === undefined || !this.#owners.has(name));
    const words = new Set(own.flatMap((part) => [...part.words]));
    const support = imports.map(
      (name) => `import { ${name.isType ? "type " : ""}${name.name} } from "${name.from}";\n`,
    );
    const taken = [...this.#owners].map(([name, owner]) => {
      const from = `from "../${owner.revision}/validate.ts";\n`;
      return `${words.has(name) ? `import { ${name} } ${from}` : ""}export { ${name} } ${from}`;
    });
    const texts = own.map(({ name, text }) => (this.#given.has(name ?? "") ? toExported(text) : text));
    return [`${header}\n\n${support.join("")}${taken.join("")}`, ...texts].join("\n");
  }

  /** Whether a check is the same in both, with all that it calls: then all of that is, which need not be found out again. */
  #agreesWith(other: CheckFile, name: string, agreed: Set<string>): boolean {
    const seen = new Set(agreed);
    if (!this.#agrees(other, name, seen)) return false;
    for (const called of seen) agreed.add(called);
    return true;
  }

  /** Recursive checks are the same when nothing speaks against it. */
  #agrees(other: CheckFile, name: string, seen: Set<string>): boolean {
    if (seen.has(name)) return true;
    seen.add(name);
    const own = this.#checks.get(name);
    if (!own || this.#texts.get(name) !== other.#texts.get(name)) return false;
    return [...own.words].every((word) => !this.#checks.has(word) || this.#agrees(other, word, seen));
  }
}

function toExported(text: string): string {
  return text.replace(/^(function|const) /m, "export $1 ");
}
