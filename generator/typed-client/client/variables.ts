import { parseUriTemplate } from "../../../runtime/server/resources/uri-template/uri-template.ts";
import type { TemplateVariable } from "./plan.ts";

/**
 * Returns the variables of a URI template, each once.
 *
 * @throws {Error} when the template is invalid; the message names the position of the first mistake.
 */
export function readVariables(template: string): readonly TemplateVariable[] {
  const { parts, variables } = parseUriTemplate(template);
  const places = parts.flatMap((part) =>
    part.kind === "literal" ? [] : part.variables.map((variable) => ({ ...variable, symbol: part.operator.symbol })),
  );
  return variables.map((name) => {
    const own = places.filter((place) => place.name === name);
    return {
      name,
      isList: own.some(({ explode }) => explode),
      isOptional: own.every(({ symbol }) => ["?", "&", ";"].includes(symbol)),
    };
  });
}
