import type { Lacks } from "../../lacks.ts";
import type { RevisionModel } from "../../model.ts";

/** What `index.ts.hbs` shows. */
export interface IndexView {
  /** Declarations in source order. */
  readonly names: readonly string[];
  readonly lacks: {
    readonly methods: readonly Entry[];
    readonly members: readonly { readonly name: string; readonly members: readonly Entry[] }[];
    readonly kinds: readonly Entry[];
  };
}

interface Entry {
  /** As it stands in code: quoted where it has to be. */
  readonly name: string;
  readonly text: string;
}

/** Names every declaration, and what the revision lacks. */
export function indexView({ declarations }: RevisionModel, lacks: Lacks): IndexView {
  return {
    names: declarations.map(({ name }) => name),
    lacks: {
      methods: toEntries(lacks.methods),
      members: [...lacks.members].map(([name, members]) => ({ name, members: toEntries(members) })),
      kinds: toEntries(lacks.kinds),
    },
  };
}

function toEntries(sentences: ReadonlyMap<string, string>): readonly Entry[] {
  return [...sentences].map(([name, text]) => ({ name: JSON.stringify(name), text: JSON.stringify(text) }));
}
