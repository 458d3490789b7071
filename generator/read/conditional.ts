import type { Shape } from "../model.ts";
import { isAssignableToAny, splitBooleans } from "./assignable.ts";
import { reject, ts } from "./syntax.ts";
import type { TypeContext } from "./type-context.ts";
import { alternativesOf, undefinedShape, unionOf } from "./unions.ts";

/**
 * Reads `T extends Other ? Yes : No`. As in TypeScript, a type parameter stands for one alternative of its type at a time.
 *
 * @throws {SpecError} when the types cannot be compared, or parts of them are inferred
 */
export function readConditional(context: TypeContext, node: ts.ConditionalTypeNode): Shape {
  const wide = alternativesOf(context, context.read(context, rejectInferred(context, node.extendsType)));
  const type = context.read(context, node.checkType);
  const parameter = findParameter(context, node.checkType);
  const isAny = type.kind === "unknown" && type.any;
  if (isAny) throw reject(context.path, node, "a condition on `any` has no single result; write the resulting type");
  const choose = (narrow: Shape, parameters: TypeContext["parameters"]): Shape => {
    const isWithin = isAssignableToAny(context, node, { narrow, wide });
    return context.read({ ...context, parameters }, isWithin ? node.trueType : node.falseType);
  };
  if (parameter === undefined) return choose(type, context.parameters);
  const alternatives = splitBooleans(alternativesOf(context, type)).filter(
    (one) => one === undefinedShape || one.kind !== "never",
  );
  return unionOf(alternatives.map((one) => choose(one, new Map([...context.parameters, [parameter, one]]))));
}

/** Returns the name of the type parameter in a condition. */
function findParameter({ parameters }: TypeContext, node: ts.TypeNode): string | undefined {
  if (!ts.isTypeReferenceNode(node) || !ts.isIdentifier(node.typeName)) return undefined;
  const { text } = node.typeName;
  return parameters.has(text) ? text : undefined;
}

function rejectInferred(context: TypeContext, node: ts.TypeNode): ts.TypeNode {
  const find = (inner: ts.Node): ts.Node | undefined =>
    ts.isInferTypeNode(inner) ? inner : ts.forEachChild(inner, find);
  const inferred = find(node);
  if (inferred) throw reject(context.path, inferred, "`infer` is not supported; write the resulting type");
  return node;
}
