import type { RevisionModel } from "../../model.ts";
import { docText } from "../doc-text.ts";
import { declarationText } from "../type-text.ts";

/** What `types.ts.hbs` shows. */
export interface TypesView {
  readonly constants: readonly string[];
  readonly declarations: readonly string[];
}

/** The declarations of the schema in its own order, bases kept as `extends`. */
export function typesView({ constants, declarations }: Pick<RevisionModel, "constants" | "declarations">): TypesView {
  return {
    constants: constants.map(
      ({ name, value, doc }) => `${docText(doc)}export const ${name} = ${JSON.stringify(value)};`,
    ),
    declarations: declarations.map(declarationText),
  };
}
