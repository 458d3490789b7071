/** List that may change while clients are connected; `resources` includes the templates. */
export type ListKind = "tools" | "resources" | "prompts";

/** Every list that may change. */
export const listKinds: readonly ListKind[] = ["tools", "resources", "prompts"];

/** Handler names of the notifications about changed lists. */
export const listChanged: { readonly [Kind in ListKind]: string } = {
  tools: "toolListChanged",
  resources: "resourceListChanged",
  prompts: "promptListChanged",
};
