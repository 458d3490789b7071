import type { RevisionModel } from "../../model.ts";
import { docText } from "../doc-text.ts";
import { declarationText } from "../type-text.ts";

/** View of the template `types.ts.hbs`. */
export interface TypesView {
  readonly constants: readonly string[];
  readonly declarations: readonly string[];
}

/** Returns the declarations of the schema in source order, with bases kept as `extends`. */
export function typesView({ constants, declarations }: Pick<RevisionModel, "constants" | "declarations">): TypesView {
  return {
    constants: constants.map(
      ({ name, value, doc }) => `${docText(doc)}export const ${name} = ${JSON.stringify(value)};`,
    ),
    declarations: declarations.map(declarationText),
  };
}
