import { capabilitiesOf } from "../../capabilities.ts";
import type { Method, RevisionModel } from "../../model.ts";
import { mayOmitParams, methodsOf, paramsText, resultText, tableSpecs, type TableSpec } from "../method-text.ts";
import { usedNames } from "../used-names.ts";
import type { ValidateView } from "./validate.ts";

/** What `methods.ts.hbs` shows. */
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
  readonly emptyCapabilities: string;
  readonly capabilities: string;
}

/** One dispatch table. */
export interface TableView {
  readonly name: string;
  readonly typeName: string;
  readonly summary: string;
  readonly rows: readonly RowView[];
}

interface RowView {
  readonly key: string;
  readonly kind: string;
  readonly handler: string;
  readonly type: string;
  readonly params: string;
  readonly paramsOptional: boolean;
  readonly result: string;
  readonly gate: string;
  readonly needs: string;
}

const rowTypes = { request: "RequestRow", notification: "NotificationRow", embedded: "EmbeddedRow" } as const;

/** The dispatch tables as data, and everything else that the runtime wants to know. */
export function methodsView(model: RevisionModel, checks: ValidateView["callees"]): MethodsView {
  const { rules } = model;
  const tables = tableViews(model.methods, tableSpecs, checks);
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
    capabilities: literalText({ client: capabilitiesOf("client", model), server: capabilitiesOf("server", model) }),
  };
}

/** The tables of these methods. */
export function tableViews(
  methods: readonly Method[],
  specs: readonly TableSpec[],
  checks: ValidateView["callees"],
): TableView[] {
  return specs.map((spec) => tableView(spec, methodsOf(methods, spec), checks));
}

/** The types of rows that tables mention. */
export function rowTypesIn(tables: readonly TableView[]): string[] {
  const types = tables.flatMap(({ rows }) => rows.map(({ type }) => type)).join(" ");
  return usedNames(types, Object.values(rowTypes));
}

function tableView(spec: TableSpec, methods: readonly Method[], checks: ValidateView["callees"]): TableView {
  const { name, summary } = spec;
  const typeName = name.charAt(0).toUpperCase() + name.slice(1);
  return { name, typeName, summary, rows: methods.map((method) => rowView(spec, method, checks)) };
}

function rowView({ sender }: TableSpec, method: Method, checks: ValidateView["callees"]): RowView {
  const types = method.kind === "notification" ? paramsText(method) : `${paramsText(method)}, ${resultText(method)}`;
  const gate = method.gates[sender];
  return {
    key: JSON.stringify(method.name),
    kind: JSON.stringify(method.kind),
    handler: JSON.stringify(method.handler),
    type: `${rowTypes[method.kind]}<${types}>`,
    params: checks.params(method),
    paramsOptional: mayOmitParams(method),
    result: method.kind === "notification" ? "" : checks.result(method),
    gate: gate ? literalText(gate) : "",
    needs: method.needs && method.kind === "request" ? literalText(method.needs) : "",
  };
}

/** A value as it stands in code. */
export function literalText(value: unknown): string {
  return JSON.stringify(value);
}
