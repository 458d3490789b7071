import type { Shape } from "../model.ts";
import { reject, type ts } from "./syntax.ts";
import type { TypeContext } from "./type-context.ts";
import { unionOf, valuesOf } from "./unions.ts";

/** Maximum number of texts of a template with unions. */
const limit = 1_000;

/**
 * Reads a template literal. `${string}` is any text; a union of literals stands for one template for each member.
 *
 * @throws {SpecError} when a hole is neither a string nor literals, or there are too many combinations.
 */
export function readTemplate(context: TypeContext, node: ts.TemplateLiteralTypeNode): Shape {
  const start: readonly (readonly string[])[] = [[node.head.text]];
  const templates = node.templateSpans.reduce((before, { type, literal }) => {
    const holes = valuesOf(context, context.read(context, type)).flatMap((hole) => textsOf(context, type, hole));
    const after = holes.flatMap((hole) => before.map((texts) => append(texts, hole, literal.text)));
    if (after.length > limit) throw reject(context.path, node, `the type stands for more than ${limit} texts`);
    return after;
  }, start);
  return unionOf(templates.map(toShape));
}

/** Texts in place of a hole. `undefined` is any text. */
function textsOf(context: TypeContext, node: ts.Node, hole: Shape): readonly (string | undefined)[] {
  if (hole.kind === "literal") return [String(hole.value)];
  if (hole.kind === "boolean") return ["false", "true"];
  if (hole.kind === "string" && !hole.template) return [undefined];
  throw reject(context.path, node, "expected `string` or literals inside a template");
}

function append(texts: readonly string[], hole: string | undefined, text: string): readonly string[] {
  // Two holes in a row accept what one accepts.
  const last = texts.at(-1) ?? "";
  if (hole === undefined) return texts.length > 1 && last === "" ? [...texts.slice(0, -1), text] : [...texts, text];
  return [...texts.slice(0, -1), last + hole + text];
}

function toShape(texts: readonly string[]): Shape {
  const [text = "", ...others] = texts;
  if (others.length === 0) return { kind: "literal", value: text };
  return others.length === 1 && text === "" && others[0] === ""
    ? { kind: "string" }
    : { kind: "string", template: texts };
}
