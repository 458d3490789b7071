import { isUrl } from "../../../runtime/internal/parse-url.ts";
import {
  parseUriTemplate,
  type MatchedValue,
  type UriTemplate,
} from "../../../runtime/server/resources/uri-template/uri-template.ts";
import { SpecError } from "../../internal/spec-error.ts";
import { UserError } from "../../internal/user-error.ts";
import { parseSource } from "../../read/syntax.ts";
import { uniqueName } from "../../internal/unique-name.ts";

/** Sample values of each variable. A completion of the first letter of the second finds no other. */
const samples = ["one", "two"] as const;
const unknownSample = "missing";

/** Returns the view of a new resource template and its test. @throws {UserError} when a server or its test cannot use the template. */
export function templateView(text: string): object {
  const template = parse(text);
  const [first, second] = samples.map((sample) => readSample(template, sample));
  const rows = template.variables.map((name) => toRow(template, name, [first?.get(name), second?.get(name)]));
  const [row] = rows;
  if (!row) throw new UserError(`--template ${text} has no variables; remove it, or write one such as notes://{id}.`);
  const known = uniqueName("known", (wanted) => template.variables.includes(wanted));
  const required = rows.filter(({ isRequired }) => isRequired);
  const [, suggested = ""] = row.values;
  return {
    uriTemplate: JSON.stringify(text),
    known,
    values: rows
      .map(({ name, values }) => `${name}: [${values.map((value) => JSON.stringify(value)).join(", ")}]`)
      .join(", "),
    completions: rows.map(({ name }) => `${name}: completeFrom(${known}.${name})`).join(", "),
    variables: template.variables.join(", "),
    condition: required.map(({ name, value }) => `${known}.${name}.includes(${value})`).join(" && "),
    shown: rows.map(({ value, isRequired }) => `\${${value}${isRequired ? "" : ' ?? ""'}}`).join(" "),
    uri: JSON.stringify(expand(template, samples[0])),
    unknownUri: JSON.stringify(expand(template, unknownSample)),
    completed: row.name,
    typed: suggested.slice(0, 1),
    suggested,
  };
}

function parse(text: string): UriTemplate {
  try {
    return parseUriTemplate(text);
  } catch (error) {
    throw new UserError(`--template: ${error instanceof Error ? error.message : String(error)}; correct it.`);
  }
}

interface VariableRow {
  readonly name: string;
  /** Expression of the value as one text. */
  readonly value: string;
  readonly values: readonly string[];
  readonly isRequired: boolean;
}

function toRow(template: UriTemplate, name: string, found: readonly MatchedValue[]): VariableRow {
  if (!canBeConstant(name))
    throw new UserError(
      `--template ${template.text}: the variable ${name} cannot be a name in TypeScript; choose another.`,
    );
  const isRequired = template.parts.some(
    (part) =>
      part.kind === "expression" &&
      (part.operator.symbol === "" || part.operator.symbol === "+") &&
      part.variables.some((variable) => variable.name === name),
  );
  const isList = found.some((value) => typeof value === "object");
  return {
    name,
    value: isList ? `${name}${isRequired ? "" : "?"}.join("/")` : name,
    values: found.map((value) => (typeof value === "object" ? value.join("/") : (value ?? ""))),
    isRequired,
  };
}

function canBeConstant(name: string): boolean {
  if (!/^[A-Za-z]\w*$/.test(name) || name === "arguments" || name === "eval") return false;
  try {
    parseSource("variable.ts", `export const ${name} = 0;`);
    return true;
  } catch (error) {
    if (error instanceof SpecError) return false;
    throw error;
  }
}

/** Returns the URI whose variables all have the same value. */
function expand(template: UriTemplate, value: string): string {
  const exploded = new Set(
    template.parts.flatMap((part) =>
      part.kind === "literal" ? [] : part.variables.filter(({ explode }) => explode).map(({ name }) => name),
    ),
  );
  return template.expand(
    Object.fromEntries(template.variables.map((name) => [name, exploded.has(name) ? [value] : value])),
  );
}

/** Reads the variables of a sample URI as the server does. `{id:3}` shortens its value. */
function readSample(template: UriTemplate, sample: string): ReadonlyMap<string, MatchedValue> {
  const uri = expand(template, sample);
  const subject = `--template ${template.text}`;
  if (!isUrl(uri)) throw new UserError(`${subject} gives no absolute URI; begin it with a scheme, such as notes://.`);
  const found = template.match(uri);
  const isRead = template.variables.every((name) => {
    const value = String(found?.get(name) ?? "");
    return value !== "" && sample.startsWith(value);
  });
  if (found && isRead) return found;
  throw new UserError(`${subject}: a URI does not show where each variable ends; write a text between them.`);
}
