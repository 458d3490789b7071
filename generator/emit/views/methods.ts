import { capabilitiesOf } from "../../model/capabilities.ts";
import { descriptionMembersOf } from "../../model/description-members.ts";
import { knownMembersOf } from "../../model/known-members.ts";
import { valuesAt } from "../../model/places.ts";
import type { Method, Property, RevisionModel, Shape } from "../../model.ts";
import { resolveObject, type Declared } from "../../model/resolve.ts";
import { minimumOf } from "../../model/shapes.ts";
import {
  hasRequiredMeta,
  mayOmitParams,
  methodsOf,
  resultText,
  sentText,
  tableSpecs,
  type MessageTable,
} from "../method-text.ts";
import type { ValidateView } from "./validate.ts";
import { capitalize } from "../../internal/text.ts";

/** View of the template `methods.ts.hbs`. */
export interface MethodsView {
  readonly support: string;
  readonly tables: readonly TableView[];
  readonly id: string;
  readonly status: string;
  readonly lifecycle: string;
  readonly batching: boolean;
  readonly neverBatched: string;
  readonly polling: boolean;
  readonly jsonSchemaDialect: string;
  readonly errors: readonly string[];
  readonly headers: readonly string[];
  readonly reservedMeta: readonly string[];
  readonly resultTypes: string;
  readonly logLevels: string;
  readonly emptyCapabilities: string;
  readonly capabilities: string;
  readonly knownMembers: string;
  readonly descriptionMembers: string;
}

/** View of one dispatch table of requests, notifications or embedded requests. */
export interface TableView {
  readonly name: string;
  readonly typeName: string;
  /** Type of the rows of the table: `RequestRow`, `NotificationRow` or `EmbeddedRow`. */
  readonly rowType: string;
  readonly summary: string;
  readonly rows: readonly RowView[];
}

interface RowView {
  readonly key: string;
  readonly kind: string;
  readonly handler: string;
  readonly type: string;
  /** True if the connection adds metadata to the params. */
  readonly hasMeta: boolean;
  readonly params: string;
  readonly paramsOptional: boolean;
  readonly result: string;
  readonly gate: string;
  readonly needs: string;
  readonly nulls: string;
  readonly minimums: string;
  readonly duration: string;
  readonly isSafe: boolean;
  readonly aliases: string;
}

const rowTypes = { request: "RequestRow", notification: "NotificationRow", embedded: "EmbeddedRow" } as const;

/** Returns the dispatch tables as data, with all other facts about the revision for the runtime. */
export function methodsView(model: RevisionModel, checks: ValidateView["callees"]): MethodsView {
  const { rules } = model;
  const tables = tableViews(model, tableSpecs, checks);
  return {
    support: [...rowTypesIn(tables), "Revision"].sort().join(", "),
    tables,
    id: JSON.stringify(model.id),
    status: JSON.stringify(model.status),
    lifecycle: JSON.stringify(rules.lifecycle),
    batching: rules.batching,
    neverBatched: JSON.stringify(rules.neverBatched),
    polling: rules.polling,
    jsonSchemaDialect: rules.jsonSchemaDialect === undefined ? "" : JSON.stringify(rules.jsonSchemaDialect),
    errors: rules.errors.map(({ name, ...rule }) => `${name}: ${literalText(rule)}`),
    headers: rules.headers.map(literalText),
    reservedMeta: rules.reservedMeta.map(literalText),
    resultTypes: rules.resultTypes ? literalText(rules.resultTypes) : "",
    emptyCapabilities: JSON.stringify(rules.emptyCapabilities),
    ...factsOf(model),
  };
}

/** Returns the facts about a revision that follow from its declarations. */
export function factsOf(
  model: RevisionModel,
): Pick<MethodsView, "logLevels" | "capabilities" | "knownMembers" | "descriptionMembers"> {
  return {
    logLevels: literalText(valuesAt("LoggingLevel", model)),
    capabilities: literalText({ client: capabilitiesOf("client", model), server: capabilitiesOf("server", model) }),
    knownMembers: literalText(knownMembersOf(model)),
    descriptionMembers: literalText(descriptionMembersOf(model)),
  };
}

/** Returns the tables of the methods of a model. */
export function tableViews(
  model: Tabled,
  specs: readonly MessageTable[],
  checks: ValidateView["callees"],
): TableView[] {
  return specs.map((spec) => tableView(spec, model, checks));
}

/** Returns the types of `support.ts` used in the rows of the tables. */
export function rowTypesIn(tables: readonly TableView[]): string[] {
  const isSent = tables.some(({ rows }) => rows.some(({ hasMeta }) => hasMeta));
  return [...tableTypes(tables.filter(({ rows }) => rows.length > 0)), ...(isSent ? ["Sent"] : [])];
}

/** Returns the row types of all tables. */
export function tableTypes(tables: readonly TableView[]): string[] {
  return [...new Set(tables.map(({ rowType }) => rowType))].sort();
}

/** Methods, with the declarations in which their types are looked up. */
export type Tabled = Declared & { readonly methods: readonly Method[] };

function tableView(spec: MessageTable, model: Tabled, checks: ValidateView["callees"]): TableView {
  const { name, summary } = spec;
  const typeName = capitalize(name);
  return {
    name,
    typeName,
    rowType: rowTypes[spec.kind],
    summary,
    rows: methodsOf(model.methods, spec).map((method) => rowView(spec, method, { model, checks })),
  };
}

function rowView(
  { sender }: MessageTable,
  method: Method,
  { model, checks }: { readonly model: Declared; readonly checks: ValidateView["callees"] },
): RowView {
  const nulls = nullsOf(method, model);
  const minimums = minimumsOf(method, model);
  const sent = sentText(method, model);
  const types = method.kind === "notification" ? sent : `${sent}, ${resultText(method)}`;
  const gate = method.gates[sender];
  return {
    key: JSON.stringify(method.name),
    kind: JSON.stringify(method.kind),
    handler: JSON.stringify(method.handler),
    type: `${rowTypes[method.kind]}<${types}>`,
    hasMeta: hasRequiredMeta(method, model),
    params: checks.params(method),
    paramsOptional: mayOmitParams(method),
    result: method.kind === "notification" ? "" : checks.result(method),
    gate: gate ? literalText(gate) : "",
    needs: method.needs && method.kind === "request" ? literalText(method.needs) : "",
    aliases: method.aliases && method.kind === "notification" ? literalText(method.aliases) : "",
    nulls: method.kind === "request" && nulls.length > 0 ? literalText(nulls) : "",
    minimums: method.kind === "request" && minimums.length > 0 ? literalText(Object.fromEntries(minimums)) : "",
    duration: method.duration === undefined ? "" : JSON.stringify(method.duration),
    isSafe: method.kind === "request" && method.safe === true,
  };
}

/** Returns the members of params and result that a peer may send as `null`. */
function nullsOf({ params, result }: Method, model: Declared): string[] {
  const properties = [params?.shape, result].flatMap((shape) => propertiesOf(shape, model));
  return properties.filter(({ nullMeansAbsent }) => nullMeansAbsent).map(({ name }) => name);
}

/** Returns the members of the result for which a peer may send a number below the minimum, with this minimum. */
function minimumsOf({ result }: Method, model: Declared): [name: string, minimum: number][] {
  const low = propertiesOf(result, model).filter(({ lowMeansMinimum }) => lowMeansMinimum);
  return low.flatMap((property) => {
    const minimum = minimumOf(property);
    return minimum === undefined ? [] : [[property.name, minimum]];
  });
}

function propertiesOf(shape: Shape | undefined, model: Declared): readonly Property[] {
  if (!shape) return [];
  const shapes = shape.kind === "union" ? shape.of : [shape];
  return shapes.flatMap((one) => resolveObject(one, model)?.properties ?? []);
}

/** Returns a value as a literal in code. */
export function literalText(value: unknown): string {
  return JSON.stringify(value);
}
