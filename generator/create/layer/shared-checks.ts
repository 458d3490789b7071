import { readSourceParts, type SourcePart, type SourceParts } from "./source-parts.ts";

/** Checks of one revision. */
export interface CheckSource {
  readonly revision: string;
  /** Text of the revision's `validate.ts`. */
  readonly text: string;
}

/**
 * Returns the checks of several revisions, newest first, each written once. A check that is equal to that of a newer revision, including every
 * function that it calls, is imported from there.
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
  /** Texts of the checks in exported form, by name. */
  readonly #texts: ReadonlyMap<string, string>;
  /** Files that own shared checks, by name of the check. */
  readonly #owners = new Map<string, CheckFile>();
  /** Names that other files import from this one. */
  readonly #given = new Set<string>();

  constructor(revision: string, source: SourceParts) {
    this.revision = revision;
    this.#source = source;
    this.#checks = new Map(source.parts.flatMap((part) => (part.name === undefined ? [] : [[part.name, part]])));
    this.#texts = new Map([...this.#checks].map(([name, { text }]) => [name, toExported(text)]));
  }

  /** Imports equal checks from the first of these files that has them. */
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

  /** True if a check is equal in both files, with all that it calls. Called checks are recorded as equal, so that they are not compared again. */
  #agreesWith(other: CheckFile, name: string, agreed: Set<string>): boolean {
    const seen = new Set(agreed);
    if (!this.#agrees(other, name, seen)) return false;
    for (const called of seen) agreed.add(called);
    return true;
  }

  /** Compares recursively. A check that is being compared already counts as equal, so that recursive checks end. */
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
