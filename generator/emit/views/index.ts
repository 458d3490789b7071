import type { Missing } from "../../missing.ts";
import type { RevisionModel } from "../../model.ts";

/** View of the template `index.ts.hbs`. */
export interface IndexView {
  /** Names of all declarations, in source order. */
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

/** Returns the names of all declarations and the list of features that the revision lacks. */
export function indexView({ declarations }: RevisionModel, missing: Missing): IndexView {
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
