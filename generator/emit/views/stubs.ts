import { harmless } from "../../internal/text.ts";
import type { Method, RevisionModel, Role } from "../../model.ts";
import {
  hasRequiredMeta,
  mayOmitParams,
  methodsOf,
  methodSummary,
  onlyHasMeta,
  paramsText,
  plainResultText,
  resultText,
  sentText,
  tableSpecs,
} from "../method-text.ts";
import { accessText, keyText } from "../type-text.ts";

/** View of the templates `server.ts.hbs` and `client.ts.hbs`. */
export interface StubsView {
  readonly support: string;
  readonly tables: string;
  readonly handlers: readonly HandlerView[];
  readonly calls: readonly { readonly text: string }[];
}

interface HandlerView {
  readonly name: string;
  readonly method: string;
  readonly summary: string;
  readonly params: string;
  readonly result: string;
}

/** Returns the stubs of one role: the methods to handle and the methods to send. */
export function stubsView(model: RevisionModel, role: Role): StubsView {
  const sent = tableSpecs.filter(({ sender, kind }) => sender === role && kind !== "embedded");
  const received = tableSpecs.filter(({ sender }) => sender !== role);
  const handlers = received.flatMap((spec) => methodsOf(model.methods, spec)).map(handlerView);
  const calls = sent.flatMap((spec) =>
    methodsOf(model.methods, spec).map((method) => ({ text: callText(spec.name, method, model) })),
  );
  const requests = sent.filter(({ kind }) => kind === "request").flatMap((spec) => methodsOf(model.methods, spec));
  const hasMeta = requests.some((method) => hasRequiredMeta(method, model));
  const tables = sent.filter((spec) => methodsOf(model.methods, spec).length > 0).map(({ name }) => name);
  return {
    support: [
      "Awaitable",
      "Caller",
      ...(requests.length > 0 ? ["CallOptions"] : []),
      "Implementation",
      ...(hasMeta ? ["Sent"] : []),
    ].join(", "),
    tables: [...tables, "revision"].sort().join(", "),
    handlers,
    calls,
  };
}

function handlerView(method: Method): HandlerView {
  return {
    name: keyText(method.handler),
    method: harmless(method.name),
    summary: methodSummary(method),
    params: mayOmitParams(method) ? `${paramsText(method)} | undefined` : paramsText(method),
    result: method.kind === "notification" ? "void" : resultText(method),
  };
}

function callText(table: string, method: Method, model: RevisionModel): string {
  const row = accessText(table, method.name);
  const sent = sentText(method, model);
  const params = `params${mayOmitParams(method) ? "?" : ""}: ${sent}${onlyHasMeta(method, model) ? " = {}" : ""}`;
  const doc = `/** \`${harmless(method.name)}\`: ${methodSummary(method)} */\n`;
  if (method.kind === "notification") {
    return `${doc}${method.handler}(${params}): Promise<void> {\nreturn this.#caller.notify(${row}, params);\n}`;
  }
  const body = `{\nreturn this.#caller.request(${row}, params, options);\n}`;
  const signature = (type: string, result: string): string =>
    `${method.handler}(${type}, options?: CallOptions): Promise<${result}>`;
  if (method.alternatives.length === 0) return `${doc}${signature(params, resultText(method))} ${body}`;
  const asking = method.alternatives.map(({ whenParam }) => `{ ${whenParam}: object }`).join(" & ");
  const overloads = [
    `${signature(`params: ${sent} & ${asking}`, resultText(method))};`,
    `${signature(params, plainResultText(method))};`,
  ];
  return `${doc}${overloads.join("\n")}\n${signature(params, resultText(method))} ${body}`;
}
