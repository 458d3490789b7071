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
  readonly jsonSchemaDialect: string;
  readonly errors: readonly string[];
  readonly headers: readonly string[];
  readonly reservedMeta: readonly string[];
  readonly resultTypes: string;
  readonly emptyCapabilities: string;
}

interface TableView {
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
}

const rowTypes = { request: "RequestRow", notification: "NotificationRow", embedded: "EmbeddedRow" } as const;

/** The dispatch tables as data, and everything else that the runtime wants to know. */
export function methodsView(model: RevisionModel, checks: ValidateView["callees"]): MethodsView {
  const { rules } = model;
  const tables = tableSpecs.map((spec) => tableView(spec, methodsOf(model.methods, spec), checks));
  const types = tables.flatMap(({ rows }) => rows.map(({ type }) => type)).join(" ");
  return {
    support: [...usedNames(types, Object.values(rowTypes)), "Revision"].sort().join(", "),
    tables,
    id: JSON.stringify(model.id),
    status: JSON.stringify(model.status),
    lifecycle: JSON.stringify(rules.lifecycle),
    batching: rules.batching,
    neverBatched: JSON.stringify(rules.neverBatched),
    jsonSchemaDialect: rules.jsonSchemaDialect === undefined ? "" : JSON.stringify(rules.jsonSchemaDialect),
    errors: rules.errors.map(({ name, ...rule }) => `${name}: ${literalText(rule)}`),
    headers: rules.headers.map(literalText),
    reservedMeta: rules.reservedMeta.map(literalText),
    resultTypes: rules.resultTypes ? literalText(rules.resultTypes) : "",
    emptyCapabilities: JSON.stringify(rules.emptyCapabilities),
  };
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
  };
}

function literalText(value: unknown): string {
  return JSON.stringify(value);
}
