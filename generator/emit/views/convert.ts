import type { Conversions } from "../../conversions/conversions.ts";
import type { MethodDifference } from "../../conversions/compare-revisions.ts";
import { createConvertWriter, type ConvertFunction, type ConvertWriter } from "../convert-text.ts";
import type { Role } from "../../model.ts";
import { methodsOf, tableSpecs, type TableSpec } from "../method-text.ts";

/** View of the template `convert.ts.hbs`. */
export interface ConvertView {
  readonly revision: string;
  readonly support: string;
  readonly rules: string;
  readonly functions: readonly ConvertFunction[];
  readonly tables: readonly TableView[];
}

interface TableView {
  readonly name: string;
  readonly summary: string;
  readonly rows: readonly { readonly text: string }[];
}

const supportNames = ["ConversionError", "isObject"];
const helperTypes = ["GoneKeys", "KnownKeys"];

/** Names that a function uses and that are neither helpers nor rules. */
const otherNames: ReadonlySet<string> = new Set([...supportNames, ...helperTypes, "loss"]);

/**
 * Returns, for each dispatch table, a table of conversions by method, and the functions that the tables refer to. With a sender, the conversions of what
 * the other side sends are left out.
 */
export function convertView(conversions: Conversions, sender?: Role): ConvertView {
  const writer = createConvertWriter(conversions);
  const tables = tableSpecs.map((spec): TableView => {
    const methods = new Set(methodsOf(conversions.model.methods, spec));
    const rows = conversions.methods
      .filter(({ method }) => methods.has(method))
      .flatMap((found) => rowText(writer, partsSentBy(sender, found, spec)));
    return { name: spec.name, summary: spec.summary, rows };
  });
  const uses = new Set(writer.functions.flatMap((one) => [...one.uses]));
  const isUsed = (name: string): boolean => uses.has(name);
  const types = helperTypes.filter(isUsed).map((name) => `type ${name}`);
  return {
    revision: isUsed("ConversionError") ? JSON.stringify(conversions.model.id) : "",
    support: [...supportNames.filter(isUsed), "type Conversions", "type OnLoss"].join(", "),
    rules: [...[...uses].filter((name) => !otherNames.has(name)).sort(), ...types].join(", "),
    functions: writer.functions,
    tables,
  };
}

/** A side sends the params of its own methods and the results of the methods of the other side. */
function partsSentBy(sender: Role | undefined, difference: MethodDifference, table: TableSpec): MethodDifference {
  if (sender === undefined) return difference;
  const { method, params, result } = difference;
  return table.sender === sender ? { method, ...(params && { params }) } : { method, ...(result && { result }) };
}

function rowText(writer: ConvertWriter, { method, params, result }: MethodDifference): { readonly text: string }[] {
  const parts = [
    ["params", writer.callee(params)],
    ["result", writer.callee(result)],
  ].flatMap(([part, callee]) => (callee === undefined ? [] : [`${part}: ${callee}`]));
  return parts.length === 0 ? [] : [{ text: `${JSON.stringify(method.name)}: { ${parts.join(", ")} }` }];
}
