import type { FixedList } from "./catalogue.ts";
import type { MadeLists } from "../feature-parts.ts";
import type { AnyCoreDefinition, AnyTool } from "../any-definition.ts";

/** Creates the lists of a server that offers only tools, which do not change. */
export function createFixedLists({ tools = [] }: AnyCoreDefinition): MadeLists<object> {
  const list = new FixedTools(tools);
  return { tools: list, lists: {}, isOffered: (kind) => kind === "tools" && list.size > 0 };
}

class FixedTools implements FixedList<AnyTool> {
  readonly #byName: ReadonlyMap<string, AnyTool>;

  constructor(tools: readonly AnyTool[]) {
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]));
  }

  get size(): number {
    return this.#byName.size;
  }

  get(name: string): AnyTool | undefined {
    return this.#byName.get(name);
  }

  [Symbol.iterator](): Iterator<AnyTool> {
    return this.#byName.values();
  }
}
