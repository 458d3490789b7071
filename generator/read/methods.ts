import { capabilitiesType, hasCapability } from "../model/capabilities.ts";
import type { Declaration, Gate, Method, Params, ResultAlternative, Role, Sender, Shape } from "../model.ts";
import type { DeclarationOverlay, MethodOverlay } from "../model/overlay.ts";
import { declarationsByName, resolveObject } from "../model/resolve.ts";
import { SpecError } from "../internal/spec-error.ts";

/** Unions of the messages each role sends. Some may be missing from a revision. */
const roleUnions = [
  { name: "ClientRequest", kind: "request", sender: "client" },
  { name: "ServerRequest", kind: "request", sender: "server" },
  { name: "ClientNotification", kind: "notification", sender: "client" },
  { name: "ServerNotification", kind: "notification", sender: "server" },
] as const;

interface Context {
  readonly declarations: readonly Declaration[];
  readonly byName: ReadonlyMap<string, Declaration>;
  readonly overlay: DeclarationOverlay;
  readonly path: string;
  /** Problems settled neither by the declarations nor by the overlay. The list grows while methods are read. */
  readonly decisions: SpecError[];
  /** Capabilities for all methods of an extension, regardless of their names. */
  readonly terms?: ExtensionTerms;
}

/** Capabilities for the methods of an extension: of the server, and of the client if it must declare the extension too. */
export interface ExtensionTerms {
  readonly gate: Gate;
  readonly needs?: Gate;
}

/** Kind and senders of one type, according to the role unions. */
interface Sighting {
  readonly kind: Method["kind"];
  readonly senders: readonly Sender[];
}

/**
 * Derives every method of a revision from its role unions. The overlay settles everything else.
 *
 * @throws {SpecError} at the first problem not settled by the overlay.
 */
export function readMethods(declarations: readonly Declaration[], overlay: DeclarationOverlay, path: string): Method[] {
  const { methods, decisions } = examineMethods(declarations, overlay, path);
  if (decisions[0]) throw decisions[0];
  return methods;
}

/** Readable methods, and every problem for which an overlay entry is missing. */
interface ExaminedMethods {
  readonly methods: Method[];
  readonly decisions: readonly SpecError[];
}

/** Does the same as `readMethods` without throwing. */
export function examineMethods(
  declarations: readonly Declaration[],
  overlay: DeclarationOverlay,
  path: string,
): ExaminedMethods {
  const byName = declarationsByName({ declarations });
  const context: Context = { declarations, byName, overlay, path, decisions: [] };
  const sightings = readRoles(context);
  for (const [type, method] of methodTypes(context, declarations)) {
    if (sightings.has(type)) continue;
    if (overlay.methods[method]?.kind !== "embedded") {
      ask(
        context,
        `\`${type}\` (${method}) is in no role union; declare it as embedded in methods, or add it to a union`,
      );
    }
    sightings.set(type, { kind: "embedded", senders: ["server"] });
  }
  return finish(
    context,
    [...sightings].flatMap(([type, sighting]) => readMethod(context, type, sighting)),
  );
}

/**
 * Returns the readable methods declared by an extension, and every problem for which an overlay entry is missing. No role union names the methods,
 * so the overlay names their senders.
 */
export function examineExtensionMethods(
  own: readonly Declaration[],
  scope: readonly Declaration[],
  { overlay, path, terms }: { overlay: DeclarationOverlay; path: string; terms: ExtensionTerms },
): ExaminedMethods {
  const byName = declarationsByName({ declarations: scope });
  const context: Context = { declarations: scope, byName, overlay, path, decisions: [], terms };
  const methods = methodTypes(context, own).flatMap(([type, name]) => {
    const senders = overlay.methods[name]?.senders;
    const kind = isNotification(type) ? "notification" : "request";
    if (!senders)
      ask(context, `\`${type}\` (${name}) is in no role union; list its senders in methods["${name}"].senders`);
    // A proposal of an overlay needs the methods whose senders are not decided, too.
    return readMethod(context, type, { kind, senders: senders ?? [] });
  });
  return finish(context, methods);
}

/** Returns the methods with the problems so far, and with those that show only when all methods are known. */
function finish(context: Context, methods: Method[]): ExaminedMethods {
  askAboutEqualNames(context, methods);
  askAboutStale(context, methods);
  return { methods, decisions: context.decisions };
}

/**
 * Returns the senders of the messages of an extension, by their types, from its unions of messages: those with `Client` or `Server` in their names.
 */
export function readExtensionSenders(
  own: readonly Declaration[],
  scope: readonly Declaration[],
): ReadonlyMap<string, readonly Role[]> {
  const byName = declarationsByName({ declarations: scope });
  const context: Pick<Context, "byName" | "declarations"> = { declarations: scope, byName };
  const found = new Map<string, readonly Role[]>();
  for (const { name, kind, shape } of own) {
    const senders = roles.filter((role) => name.toLowerCase().includes(role));
    const members = kind === "alias" ? messagesOf(context, shape) : [];
    if (senders.length !== 1) continue;
    for (const type of members) found.set(type, [...new Set([...(found.get(type) ?? []), ...senders])]);
  }
  return found;
}

const roles: readonly Role[] = ["client", "server"];

/** Returns the types of a union of messages; an empty list if it is another type. */
function messagesOf(context: Pick<Context, "byName" | "declarations">, shape: Shape): readonly string[] {
  const members = shape.kind === "union" ? shape.of : [shape];
  const types = members.flatMap((member): readonly (string | undefined)[] => {
    if (member.kind !== "reference") return [undefined];
    const alias = context.byName.get(member.name);
    if (alias?.kind === "alias") {
      const nested = messagesOf(context, alias.shape);
      return nested.length > 0 ? nested : [undefined];
    }
    return [methodName(context, member.name) === undefined ? undefined : member.name];
  });
  const known = types.filter((type) => type !== undefined);
  return known.length === types.length ? known : [];
}

function readRoles(context: Context): Map<string, Sighting> {
  const sightings = new Map<string, Sighting>();
  for (const { name, kind, sender } of roleUnions) {
    for (const type of membersOf(context, name)) {
      const senders = sightings.get(type)?.senders ?? [];
      sightings.set(type, { kind, senders: [...new Set([...senders, sender])] });
    }
  }
  return sightings;
}

/** Returns the members of a union by name, with nested unions flattened. An alias of a single type has one member. */
function membersOf(context: Context, name: string): string[] {
  const declaration = context.byName.get(name);
  if (!declaration) return [];
  if (declaration.kind === "interface") return [name];
  const { shape } = declaration;
  const members = shape.kind === "union" ? shape.of : [shape];
  return members.flatMap((member) => {
    if (member.kind === "reference") return membersOf(context, member.name);
    ask(context, `\`${name}\` must be a union of named types`);
    return [];
  });
}

function methodTypes(context: Context, declarations: readonly Declaration[]): [type: string, method: string][] {
  return declarations.flatMap(({ name, kind, shape }) => {
    if (kind === "alias" && shape.kind !== "intersection") return [];
    const method = methodName(context, name);
    return method === undefined ? [] : [[name, method]];
  });
}

function methodName(context: Pick<Context, "byName" | "declarations">, type: string): string | undefined {
  const method = propertyOf(context, type, "method");
  if (!method || method.optional || method.shape.kind !== "literal") return undefined;
  return typeof method.shape.value === "string" ? method.shape.value : undefined;
}

function readMethod(context: Context, type: string, { kind, senders }: Sighting): Method[] {
  const name = methodName(context, type);
  if (name === undefined) {
    ask(context, `\`${type}\` is in a role union but has no literal \`method\``);
    return [];
  }
  const facts = context.overlay.methods[name];
  const params = readParams(context, type);
  const { doc } = context.byName.get(type) ?? {};
  const result = kind === "notification" ? undefined : readResult(context, type, name, facts);
  const method: Method = {
    name,
    handler: handlerName(type),
    type,
    kind,
    senders,
    ...(params && { params }),
    ...(result && { result }),
    alternatives: result ? readAlternatives(context, result, facts) : [],
    gates: Object.fromEntries(senders.flatMap((sender) => readGate(context, { name, kind, sender, facts }))),
    ...(facts?.aliases && { aliases: facts.aliases }),
    ...(context.terms?.needs && senders.some(isRole) && { needs: context.terms.needs }),
    ...readBehavior(name, context.overlay),
    ...(doc && { doc }),
  };
  return [method];
}

/** Returns the facts about the behavior of a method. */
function readBehavior(name: string, { durations = [], safe }: DeclarationOverlay): Pick<Method, "duration" | "safe"> {
  const found = durations.find(({ methods }) => methods.includes(name));
  return { ...(found && { duration: found.duration }), ...(safe?.methods.includes(name) && { safe: true }) };
}

/** Derives the handler name from a type, such as `callTool` from `CallToolRequest`. The rule has no exceptions. */
export function handlerName(type: string): string {
  const base = type.replace(/(Request|Notification)$/, "");
  return base.charAt(0).toLowerCase() + base.slice(1);
}

/** True for the declaration of a notification. By convention, its name ends with the word; the role unions of revisions say it as well. */
export function isNotification(type: string): boolean {
  return type.endsWith("Notification");
}

function readParams(context: Context, type: string): Params | undefined {
  const params = propertyOf(context, type, "params");
  return params && { optional: params.optional, shape: params.shape };
}

/** Returns the result named by `XResultResponse`, otherwise `XResult`, otherwise the type named by the overlay. */
function readResult(
  context: Context,
  type: string,
  method: string,
  facts: MethodOverlay | undefined,
): Shape | undefined {
  const base = type.replace(/Request$/, "");
  const explicit = propertyOf(context, `${base}ResultResponse`, "result")?.shape;
  const members = explicit?.kind === "union" ? explicit.of : [explicit];
  if (explicit && members.every((member) => member?.kind === "reference")) return explicit;
  const named = context.byName.has(`${base}Result`) ? `${base}Result` : facts?.result;
  if (named !== undefined && context.byName.has(named)) return { kind: "reference", name: named };
  ask(context, `the result of ${method} is unknown; set its type in methods["${method}"].result`);
  return undefined;
}

function readAlternatives(context: Context, plain: Shape, facts: MethodOverlay | undefined): ResultAlternative[] {
  const results = plain.kind === "union" ? plain.of : [plain];
  const known = results.flatMap((result) => resolveObject(result, context)?.properties.map(({ name }) => name) ?? []);
  return (facts?.alternatives ?? []).flatMap(({ type, whenParam }) => {
    const object = context.byName.has(type) ? resolveObject({ kind: "reference", name: type }, context) : undefined;
    const mark = object?.properties.find(({ name, optional }) => !optional && !known.includes(name))?.name;
    if (mark !== undefined) return [{ type, whenParam, mark }];
    ask(context, `\`${type}\` has no required member that distinguishes it from the plain result`);
    return [];
  });
}

function readGate(
  context: Context,
  {
    name,
    kind,
    sender,
    facts,
  }: { name: string; kind: Method["kind"]; sender: Sender; facts: MethodOverlay | undefined },
): [Role, Gate][] {
  if (!isRole(sender)) return [];
  const side = gateSide(kind, sender);
  if (context.terms) return [[sender, facts?.gate ? { side, ...facts.gate } : context.terms.gate]];
  if (facts?.gate === null) return [];
  const gate: Gate = { side, ...(facts?.gate ?? { path: derivePath(name, kind) }) };
  if (hasCapability(context, gate)) return [[sender, gate]];
  const capability = `${gate.side} capability \`${gate.path.join(".")}\``;
  ask(
    context,
    `${name} requires ${capability}, which is missing from ${capabilitiesType(gate.side)}; set methods["${name}"].gate`,
  );
  return [];
}

/** False for a view and its host, whose connection has no capabilities of this kind. */
function isRole(sender: Sender): sender is Role {
  return sender === "client" || sender === "server";
}

/** Side required to declare the capability: the receiver of a request, the sender of a notification. */
function gateSide(kind: Method["kind"], sender: Role): Role {
  if (kind === "notification") return sender;
  return sender === "client" ? "server" : "client";
}

/**
 * Derives the capability from the first part of the name, such as `tools` from `tools/call`. Each list may have a capability for the notifications of
 * its changes. The overlay has every exception from this rule.
 */
function derivePath(name: string, kind: Method["kind"]): readonly string[] {
  const [feature = "", event = ""] = kind === "notification" ? name.split("/").slice(1) : name.split("/");
  return kind === "notification" && event === "list_changed" ? [feature, "listChanged"] : [feature];
}

function propertyOf(
  context: Pick<Context, "byName" | "declarations">,
  type: string,
  key: string,
): { readonly optional: boolean; readonly shape: Shape } | undefined {
  if (!context.byName.has(type)) return undefined;
  return resolveObject({ kind: "reference", name: type }, context)?.properties.find(({ name }) => name === key);
}

/** Methods sent by one side have different names: on the wire, where they are of one kind, and in code. */
function askAboutEqualNames(context: Context, methods: readonly Method[]): void {
  const seen = new Map<string, string>();
  for (const { name, handler, kind, senders, type } of methods) {
    for (const use of [`${kind} ${name}`, `function ${handler}()`].flatMap((what) => withSenders(what, senders))) {
      const other = seen.get(use);
      seen.set(use, type);
      if (other === undefined) continue;
      ask(context, `\`${other}\` and \`${type}\` would both be the ${use}; rename or remove one of them in the schema`);
    }
  }
}

function withSenders(what: string, senders: readonly Sender[]): string[] {
  return senders.map((sender) => `${what} of the ${sender}`);
}

/** An entry for a missing method is a mistake, or a leftover from another revision. */
function askAboutStale(context: Context, methods: readonly Method[]): void {
  const known = new Set(methods.map(({ name }) => name));
  for (const name of Object.keys(context.overlay.methods)) {
    if (!known.has(name)) ask(context, `methods refers to \`${name}\`, which this revision does not have`);
  }
}

/** Records a problem without throwing, because all problems are reported together. */
function ask(context: Context, text: string): void {
  context.decisions.push(new SpecError({ file: context.path, text }));
}
