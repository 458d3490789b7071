import type { Missing } from "../../model/missing.ts";
import type { RevisionModel } from "../../model.ts";

/** View of the template `declarations.ts.hbs`. */
export interface DeclarationsView {
  /** Names of the declarations, in source order. */
  readonly names: readonly string[];
  readonly missing: {
    readonly methods: readonly Entry[];
    readonly members: readonly { readonly name: string; readonly members: readonly Entry[] }[];
    readonly kinds: readonly Entry[];
  };
}

interface Entry {
  /** String literal of the name for use in code. */
  readonly name: string;
  readonly text: string;
}

/** Returns the names of declarations and the list of features missing from the revision. */
export function declarationsView(
  { declarations }: Pick<RevisionModel, "declarations">,
  missing: Missing,
): DeclarationsView {
  return {
    names: declarations.map(({ name }) => name),
    missing: {
      methods: toEntries(missing.methods),
      members: [...missing.members].map(([name, members]) => ({ name, members: toEntries(members) })),
      kinds: toEntries(missing.kinds),
    },
  };
}

function toEntries(sentences: ReadonlyMap<string, string>): readonly Entry[] {
  return [...sentences].map(([name, text]) => ({ name: JSON.stringify(name), text: JSON.stringify(text) }));
}
