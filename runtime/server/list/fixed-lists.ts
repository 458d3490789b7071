import type { FixedList } from "./catalogue.ts";
import type { MadeLists } from "../feature-parts.ts";
import type { CoreSource, ToolSource } from "../any-definition.ts";

/** For a server that offers nothing but tools, which stay as they are. */
export function createFixedLists({ tools = [] }: CoreSource): MadeLists<object> {
  const list = new FixedTools(tools);
  return { tools: list, lists: {}, isOffered: (kind) => kind === "tools" && list.size > 0 };
}

class FixedTools implements FixedList<ToolSource> {
  readonly #byName: ReadonlyMap<string, ToolSource>;

  constructor(tools: readonly ToolSource[]) {
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]));
  }

  get size(): number {
    return this.#byName.size;
  }

  get(name: string): ToolSource | undefined {
    return this.#byName.get(name);
  }

  [Symbol.iterator](): Iterator<ToolSource> {
    return this.#byName.values();
  }
}
