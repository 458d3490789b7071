import type { Declaration, Method, RevisionModel } from "../../model.ts";
import { createCheckWriter, type CheckFunction, type CheckWriter } from "../check-text.ts";
import { accessText } from "../type-text.ts";

/** View of the template `validate.ts.hbs`, and the names of the checks in the dispatch tables. */
export interface ValidateView {
  readonly support: string;
  readonly functions: readonly FunctionView[];
  readonly callees: { params(method: Method): string; result(method: Method): string };
  /** Names of the checks in the dispatch tables. */
  readonly tableChecks: ReadonlySet<string>;
}

/** View of one check. */
export interface FunctionView extends CheckFunction {
  readonly doc: string;
  readonly export: string;
}

/** Declarations and methods to check. `scope` is present if the declarations use others, whose checks are in another file. */
export type Checked = Pick<RevisionModel, "declarations" | "methods"> & { readonly scope?: readonly Declaration[] };

/** Returns one check per declaration in source order, followed by checks of params and results without a declaration of their own. */
export function validateView(model: Checked): ValidateView {
  const writer = createCheckWriter({ declarations: model.scope ?? model.declarations });
  const functions = model.declarations.flatMap((declaration) => writer.writeDeclaration(declaration));
  const params = new Map<string, string>();
  const results = new Map<string, string>();
  for (const method of model.methods) {
    const check = writeParams(writer, method);
    params.set(method.type, check.name);
    functions.push(...check.functions);
    if (method.kind === "notification") continue;
    const outcome = writeOutcome(writer, method);
    results.set(method.type, outcome.name);
    functions.push(...outcome.functions);
  }
  const called = new Set([...params.values(), ...results.values()]);
  const declared = new Set(model.declarations.map(({ name }) => `check${name}`));
  const views = functions.map((view) => functionView(view, { declared, called }));
  return {
    support: supportOf(functions),
    functions: views,
    tableChecks: called,
    callees: { params: ({ type }) => nameIn(params, type), result: ({ type }) => nameIn(results, type) },
  };
}

/** Returns the names of the support module for checks, as a list for an import. */
export function supportOf(functions: readonly CheckFunction[]): string {
  return [...new Set(functions.flatMap(({ support }) => support))].sort().join(", ");
}

function functionView(
  check: CheckFunction,
  names: { readonly declared: ReadonlySet<string>; readonly called: ReadonlySet<string> },
): FunctionView {
  const { name } = check;
  const isDeclared = names.declared.has(name);
  const isExported = isDeclared || names.called.has(name);
  const doc = isExported
    ? `/** ${isDeclared ? `Checks a value against \`${subject(name)}\`` : anonymousSummary(name)}. */\n`
    : "";
  return { ...check, doc, export: isExported ? "export " : "" };
}

/** Converts the name of a check to its subject: `checkTool` becomes `Tool`. */
function subject(name: string): string {
  return name.slice("check".length);
}

function anonymousSummary(name: string): string {
  if (name.endsWith("Outcome"))
    return `Checks any result that \`${subject(name).replace(/Outcome$/, "Request")}\` may have`;
  return "Checks params that their type writes inline";
}

interface Written {
  readonly name: string;
  readonly functions: readonly CheckFunction[];
}

function writeParams(writer: CheckWriter, { type, params }: Method): Written {
  return writer.writeShape(params?.shape ?? { kind: "object", properties: [] }, `${type}Params`);
}

/** Returns a check of every possible result of a request, such as `checkCallToolOutcome`. */
function writeOutcome(writer: CheckWriter, { type, result, alternatives }: Method): Written {
  const base = type.replace(/Request$/, "");
  // With alternatives, the check of all results has the first name.
  const suggestion = alternatives.length === 0 ? `${base}Outcome` : `${base}PlainOutcome`;
  const plain = writer.writeShape(result ?? { kind: "unknown" }, suggestion);
  if (alternatives.length === 0) return plain;
  const branches = alternatives.map(
    (alternative) =>
      `if (isObject(v) && ${accessText("v", alternative.mark)} !== undefined) return check${alternative.type}(v);`,
  );
  const text = `(v: unknown): Issue | undefined {
    const issue = ${plain.name}(v);
    if (issue === undefined) return undefined;
    ${branches.join("\n")}
    return issue;
  }`;
  const name = `check${base}Outcome`;
  const calls = [plain.name, ...alternatives.map(({ type }) => `check${type}`)];
  return { name, functions: [...plain.functions, { name, text, calls, support: ["isObject"] }] };
}

function nameIn(names: ReadonlyMap<string, string>, type: string): string {
  const name = names.get(type);
  if (name === undefined)
    throw new Error(`No check was written for ${type}; this is a bug in generator/emit/views/validate.ts.`);
  return name;
}
