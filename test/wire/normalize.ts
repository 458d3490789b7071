import { isObject } from "../../templates/support.ts";

/** Members whose values are random or depend on the time, by name. */
const volatile: Readonly<Record<string, string>> = {
  "io.modelcontextprotocol/clientCapabilities": "capabilities",
  requestState: "state",
  taskId: "task",
  nextCursor: "cursor",
  cursor: "cursor",
  createdAt: "time",
  lastUpdatedAt: "time",
};

/**
 * Replaces random values by names that say when they were first seen, so that two runs read the same. A value keeps its name
 * wherever it comes back.
 */
export class Normalizer {
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  /** Name of a value; the first of a kind is `<kind 1>`. */
  name(kind: string, value: string): string {
    const known = this.#names.get(value);
    if (known !== undefined) return known;
    if (kind === "time") return "<time>";
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const name = `<${kind} ${count}>`;
    this.#names.set(value, name);
    return name;
  }

  /** Text of a message; members keep their order, and everything that is not volatile its bytes. */
  text(json: string): string {
    const value = parse(json);
    if (value === undefined) return this.#known(json);
    return JSON.stringify(this.#walk(value));
  }

  #walk(value: unknown): unknown {
    if (typeof value === "string") return this.#known(value);
    if (Array.isArray(value)) return value.map((item) => this.#walk(item));
    if (!isObject(value)) return value;
    const members = Object.entries(value).map(([key, member]) => {
      const kind = Object.hasOwn(volatile, key) ? volatile[key] : undefined;
      // Every stateless request repeats them.
      if (kind === "capabilities") return [key, "<capabilities>"];
      const isNamed = kind !== undefined && typeof member === "string";
      return [key, isNamed ? this.name(kind, member) : this.#walk(member)];
    });
    return Object.fromEntries(members);
  }

  /** Replaces what has a name already, ports, and times. */
  #known(text: string): string {
    const replaced = text
      .replace(/(127\.0\.0\.1|localhost):\d+/g, "$1:<port>")
      .replace(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/g, "<time>");
    return [...this.#names].reduce((result, [value, name]) => result.replaceAll(value, name), replaced);
  }
}

const unrelated = /"method":"notifications\/(\w+\/list_changed|resources\/updated|tasks\/status|tasks)"/;

/** Puts notifications that belong to no request at the end of their step: their place among others is not promised. */
export function inOrder(lines: readonly string[]): readonly string[] {
  const steps: string[][] = [];
  for (const line of lines) {
    if (line.startsWith("# ") || steps.length === 0) steps.push([]);
    steps.at(-1)?.push(line);
  }
  return steps.flatMap((step) => [
    ...step.filter((line) => !unrelated.test(line)),
    ...step.filter((line) => unrelated.test(line)).sort(),
  ]);
}

/** Texts that people read are compared by their presence: codes, shapes and data stay. */
export function withoutErrorTexts(line: string): string {
  const brace = line.search(/[[{]/);
  const value = brace === -1 ? undefined : parse(line.slice(brace));
  return value === undefined ? line : line.slice(0, brace) + JSON.stringify(blank(value));
}

function blank(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(blank);
  if (!isObject(value)) return value;
  const isFailure = value.isError === true && Array.isArray(value.content);
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (key === "error" && isObject(member)) return [key, { ...member, message: "<text>" }];
      if (key === "content" && isFailure && Array.isArray(member))
        return [
          key,
          member.map((block) => (isObject(block) && "text" in block ? { ...block, text: "<text>" } : block)),
        ];
      return [key, blank(member)];
    }),
  );
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
