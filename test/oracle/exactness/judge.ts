import { join } from "node:path";
import { isObject } from "../../../generated/support.ts";
import type { Method, RevisionModel, Shape } from "../../../generator/model.ts";
import { openSpecFolder } from "../../../generator/read/spec-folder.ts";
import { resolveAlias, resolveObject } from "../../../generator/model/resolve.ts";
import { findUnknown } from "../../generator/conversions/convert-walk.ts";
import { readOfficialSchema } from "../official.ts";
import { createValidators, type Validator } from "../official-validators.ts";
import type { Seen } from "./tap.ts";

/** Problems of a conversation, and its methods. */
export interface Judgement {
  readonly problems: readonly string[];
  /** Methods of requests and notifications, and `<method> result` for results. */
  readonly used: ReadonlySet<string>;
}

/** Holds messages against the official schema of a revision, and against every key that it knows. */
export interface Judge {
  judge(seen: readonly Seen[]): Judgement;
}

/** Prepares a judge for one revision. */
export async function createJudge(revision: string): Promise<Judge> {
  const folder = await openSpecFolder(join(import.meta.dirname, "../../../spec"));
  const model = await folder.readModel(revision);
  const validatorOf = createValidators(readOfficialSchema(revision));
  return { judge: (seen) => judgeAll(seen, { model, validatorOf }) };
}

interface Law {
  readonly model: RevisionModel;
  readonly validatorOf: (definition: string) => Validator;
}

function judgeAll(seen: readonly Seen[], law: Law): Judgement {
  const requested = new Map<string, string>();
  const used = new Set<string>();
  const problems = seen.flatMap(({ from, message }): string[] => {
    if (!isObject(message)) return [`${from}: not a message`];
    const { id, method } = message;
    if (typeof method === "string") {
      used.add(method);
      if (id !== undefined) requested.set(keyOf(from, id), method);
      return judgeCall(message, method, law);
    }
    if (message.error !== undefined) return judgeError(message, law);
    const name = requested.get(keyOf(from === "client" ? "server" : "client", id));
    if (name === undefined) return [`${from}: responds to ${String(id)}, which was not requested`];
    used.add(`${name} result`);
    if (isObject(message.result) && message.result.resultType === "input_required") used.add("input_required");
    return judgeResult(message.result, name, law);
  });
  return { problems, used };
}

function keyOf(sender: Seen["from"], id: unknown): string {
  return `${sender} ${JSON.stringify(id)}`;
}

function judgeCall(message: Record<string, unknown>, name: string, { model, validatorOf }: Law): string[] {
  const method = model.methods.find((candidate) => candidate.name === name && candidate.kind !== "embedded");
  if (!method) return [`${name}: unknown method`];
  const invalid = validatorOf(method.type)(message) ? [] : [`${name}: invalid ${JSON.stringify(message)}`];
  const shape = method.params?.shape;
  const unknown = shape && message.params !== undefined ? findStrays(message.params, shape, model) : [];
  return [...invalid, ...unknown.map((path) => `${name} params: ${path}`)];
}

function judgeResult(result: unknown, name: string, { model, validatorOf }: Law): string[] {
  const method = model.methods.find((candidate) => candidate.name === name);
  const shapes = method ? resultsOf(method, result) : [];
  const fits = shapes.some((shape) => namesOf(shape).some((definition) => validatorOf(definition)(result)));
  const invalid = fits ? [] : [`${name} result: invalid ${JSON.stringify(result)}`];
  const findings = shapes.map((shape) => findStrays(result, shape, model));
  const [best = []] = findings.sort((a, b) => a.length - b.length);
  return [...invalid, ...best.map((path) => `${name} result: ${path}`)];
}

/**
 * Unknown keys, and also those that only the base of all results and params lets through: it is open for revisions to come, and would hide what
 * leaks from them.
 */
export function findStrays(value: unknown, shape: Shape, model: RevisionModel): string[] {
  const target = resolveAlias(shape, model);
  if (target.kind === "union")
    return target.of.map((member) => findStrays(value, member, model)).reduce((a, b) => (b.length < a.length ? b : a));
  const properties = resolveObject(target, model)?.properties ?? [];
  const own = target.kind === "reference" || properties.length > 1 ? properties : [];
  const strays =
    isObject(value) && own.length > 0 ? Object.keys(value).filter((key) => !own.some(({ name }) => name === key)) : [];
  return [...findUnknown(value, shape, model), ...strays.map((key) => `/${key}: only the base knows it`)];
}

/** Some results are for requests that asked for another kind, and are told by a member of their own. */
function resultsOf({ result, alternatives }: Method, value: unknown): readonly Shape[] {
  const marked = alternatives.filter(({ mark }) => isObject(value) && value[mark] !== undefined);
  const others = marked.map(({ type }): Shape => ({ kind: "reference", name: type }));
  return [...(result ? [result] : []), ...others];
}

function namesOf(shape: Shape): readonly string[] {
  if (shape.kind === "reference") return [shape.name];
  return shape.kind === "union" ? shape.of.flatMap(namesOf) : [];
}

function judgeError(message: Record<string, unknown>, { model, validatorOf }: Law): string[] {
  const envelopes = ["JSONRPCErrorResponse", "JSONRPCError"];
  const envelope = envelopes.find((name) => model.declarations.some((declaration) => declaration.name === name));
  const isValid = envelope !== undefined && validatorOf(envelope)(message);
  return isValid ? [] : [`error: invalid ${JSON.stringify(message)}`];
}
