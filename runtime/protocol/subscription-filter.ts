import type { ListKind } from "./list-kinds.ts";

/** What a listener asks to hear of, or what it is told that it will hear of. */
export interface ListenFilter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: readonly string[];
  /** With the tasks extension. */
  readonly taskIds?: readonly string[];
}

/** Members of a filter by the list that they are about. */
export const filterMembers: { readonly [Kind in ListKind]: `${Kind}ListChanged` } = {
  tools: "toolsListChanged",
  prompts: "promptsListChanged",
  resources: "resourcesListChanged",
};
