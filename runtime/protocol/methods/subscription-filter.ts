import type { ListKind } from "./list-kinds.ts";

/** Changes requested by a listener, or confirmed by the server. */
export interface ListenFilter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: readonly string[];
  /** Ids of tasks, with the tasks extension. */
  readonly taskIds?: readonly string[];
}

/** Members of a filter, by the list they are about. */
export const filterMembers: { readonly [Kind in ListKind]: `${Kind}ListChanged` } = {
  tools: "toolsListChanged",
  prompts: "promptsListChanged",
  resources: "resourcesListChanged",
};
