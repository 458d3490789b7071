import { chooseNamed, type Choosable } from "./choose.ts";
import { uniqueName } from "../internal/unique-name.ts";
import { isRecord } from "../internal/json-text.ts";
import { SchemaRejection } from "../typed-client/tool-schema/safe-schema.ts";
import { safeLine } from "../internal/text.ts";
import { UserError } from "../internal/user-error.ts";
import { type Api, LeftOut } from "./operation.ts";
import { readAccess } from "./read-access.ts";
import { isForeign, readAddress, readOwnAddress, readSharedAddress } from "./read-address.ts";
import { readOperation, type ReadOperation } from "./read-operation.ts";
import { follow } from "./follow.ts";

/** Maximum number of operations. No model could use a server with so many tools. */
const maxOperations = 5_000;

type ToolNames = ReadonlyMap<string, string>;

/** Options of reading an API. */
export interface ReadApiOptions {
  /** Source, for error messages. */
  readonly origin: string;
  /** Tags, names and paths of the wanted operations, with commas. Default: all. */
  readonly only?: string;
  /** True if words of `only` may match nothing, as long as one matches. Default: `false`. */
  readonly acceptsIdle?: boolean;
  /** Text before the names of all tools. Default: none. */
  readonly prefix?: string;
  /** First word of the names of settings. Default: `API`. */
  readonly variables?: string;
  /** Existing names of the tools of operations, by method and path. These operations come first, in this order. Default: none. */
  readonly toolNames?: ToolNames;
}

/**
 * Reads an OpenAPI 3 document.
 *
 * @throws {UserError} when the document cannot be used; the message names the reason and the place.
 */
export function readApi(document: Record<string, unknown>, options: ReadApiOptions): Api {
  const { origin, only, acceptsIdle = false, prefix = "", variables = "API", toolNames = new Map() } = options;
  checkVersion(document, origin);
  const { paths } = document;
  if (paths === undefined && isRecord(document.webhooks))
    throw new UserError(`${origin} describes webhooks only; tools require at least one operation in "paths".`);
  if (!isRecord(paths)) throw new UserError(`${origin}: "paths" is not an object; it must contain the operations.`);
  const understood: ReadOperation[] = [];
  const leftOut: { name: string; reason: string }[] = [];
  const listed = listOperations(paths, document, origin);
  const found = only === undefined ? listed : chooseNamed(listed, only, { origin, kind: "operation", acceptsIdle });
  if (found.length > maxOperations) {
    const advice = "Select tags, names or paths with --only.";
    throw new UserError(`${origin} has ${found.length} operations, more than ${maxOperations}. ${advice}`);
  }
  const address =
    readAddress(document.servers, { origin }) ?? readSharedAddress(listed, { origin: `${origin}: paths` });
  for (const { path, method, item, operation, problem } of knownFirst(found, toolNames)) {
    const place = `${method.toUpperCase()} ${safeLine(path, 100)}`.trim();
    const result = problem ?? readIfPossible(() => readOperation({ path, method, item, operation, document }));
    if (isProblem(result)) {
      leftOut.push({ name: place, reason: reasonOf(result) });
      continue;
    }
    const own = readOwnAddress({ operation, item }, { origin: `${origin}: ${place}`, base: address });
    const name = prefix + result.name;
    understood.push({ ...result, name, ...(own !== undefined && own !== address && { address: own }) });
  }
  const operations = nameTools(understood, toolNames);
  rejectNothing(operations, leftOut, origin);
  const securities = operations.map(({ security }) => security);
  const { credentials, sent, unused, unsupported } = explain(
    () => readAccess(document, { securities, variables }),
    `${origin}: securitySchemes`,
  );
  const all = operations.map(({ security: _security, ...rest }, at) => {
    return {
      ...rest,
      access: isForeign(rest.address, address) ? [] : (sent[at] ?? []),
      unsupported: unsupported[at] ?? [],
    };
  });
  return {
    title: titleOf(document),
    variables,
    ...(address !== undefined && { address }),
    credentials,
    ...(unused.length > 0 && { unusedSchemes: unused }),
    operations: all,
    leftOut,
  };
}

function knownFirst(found: readonly Found[], toolNames: ToolNames): readonly Found[] {
  const places = new Map([...toolNames.keys()].map((operation, at) => [operation, at]));
  const placeOf = ({ method, path }: Found): number => places.get(`${method.toUpperCase()} ${path}`) ?? places.size;
  return found.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** Makes names unique. A new operation never gets the name of another one: hosts permit tools by name. */
function nameTools(operations: readonly ReadOperation[], toolNames: ToolNames): readonly ReadOperation[] {
  const kept = operations.map(({ method, path, name }) => {
    const known = toolNames.get(`${method} ${path}`) ?? "";
    // Numbers of repeated names begin with 2.
    return known.startsWith(name) && /^(?:[2-9]|[1-9]\d+)?$/.test(known.slice(name.length)) ? known : "";
  });
  const taken = new Set(kept.map((name) => name.toLowerCase()));
  return operations.map((operation, at) => {
    const name = kept[at] || uniqueName(operation.name, (one) => taken.has(one.toLowerCase()));
    taken.add(name.toLowerCase());
    return { ...operation, name };
  });
}

/** Returns the title of a document; empty if it has none. */
export function titleOf(document: unknown): string {
  const info = isRecord(document) ? document.info : undefined;
  return isRecord(info) && typeof info.title === "string" ? safeLine(info.title) : "";
}

function checkVersion({ openapi, swagger }: Record<string, unknown>, origin: string): void {
  if (typeof openapi === "string" && /^3\.\d/.test(openapi)) return;
  // YAML reads 3.1 without quotes as a number, and 3.0 as 3.
  if (typeof openapi === "number" && Math.floor(openapi) === 3) return;
  if (swagger !== undefined)
    throw new UserError(
      `${origin} is Swagger ${String(swagger).slice(0, 10)}. Convert it to OpenAPI 3 first, ` +
        `with \`npx swagger2openapi --patch ${origin} -o openapi.json\`, then use openapi.json.`,
    );
  throw new UserError(`${origin}: "openapi" should be 3.0 or 3.1, not ${JSON.stringify(openapi)?.slice(0, 40)}.`);
}

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;

type Problem = LeftOut | SchemaRejection;

interface Found extends Choosable {
  /** Empty if the path itself cannot be read. */
  readonly method: string;
  readonly path: string;
  readonly item: Record<string, unknown>;
  readonly operation: Record<string, unknown>;
  /** Reason why it cannot be read. */
  readonly problem?: Problem;
}

function listOperations(paths: Record<string, unknown>, document: unknown, origin: string): Found[] {
  return Object.entries(paths).flatMap(([path, value]) => {
    if (!path.startsWith("/")) return [];
    const item = readIfPossible(() => follow(value, document));
    if (isProblem(item)) return [toUnreadable(path, "", item)];
    if (!isRecord(item))
      throw new UserError(`${origin}: paths ${JSON.stringify(path).slice(0, 100)} is not an object.`);
    return methods.flatMap((method): Found[] => {
      if (item[method] === undefined) return [];
      const shown = `${method} of ${JSON.stringify(path).slice(0, 100)}`;
      const operation = readIfPossible(() => follow(item[method], document));
      if (isProblem(operation)) return [toUnreadable(path, method, operation)];
      if (isRecord(operation)) return [{ path, method, item, operation, ...namesOf(operation, method, path) }];
      throw new UserError(`${origin}: ${shown} is not an object.`);
    });
  });
}

function namesOf({ operationId, tags }: Record<string, unknown>, method: string, path: string): Choosable {
  const verb = `${method.toUpperCase()} ${path}`;
  const own = typeof operationId === "string" ? [operationId] : [];
  const all: readonly unknown[] = Array.isArray(tags) ? tags : [];
  return { names: [...own, verb, path], tags: all.filter((tag) => typeof tag === "string") };
}

function toUnreadable(path: string, method: string, problem: Problem): Found {
  return { path, method, item: {}, operation: {}, problem, ...namesOf({}, method, path) };
}

/** Reads a part of the document. If the part is broken or hostile, only its operation is left out. */
function readIfPossible<Result>(read: () => Result): Result | Problem {
  try {
    return read();
  } catch (error) {
    if (isProblem(error)) return error;
    throw error;
  }
}

function isProblem(value: unknown): value is Problem {
  return value instanceof LeftOut || value instanceof SchemaRejection;
}

function reasonOf(problem: Problem): string {
  return problem instanceof LeftOut ? problem.message : `${problem.message}. ${advice}`;
}

const advice = "Merge all files into one valid document, for example with `npx @redocly/cli bundle`.";

/** Adds the place to a schema error, and throws it as a user error. */
function explain<Result>(read: () => Result, place: string): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SchemaRejection)) throw error;
    throw new UserError(`${place}: ${error.message}. ${advice}`);
  }
}

function rejectNothing(operations: readonly unknown[], leftOut: Api["leftOut"], origin: string): void {
  if (operations.length > 0) return;
  const [first] = leftOut;
  const reason = first ? ` that can be called: ${first.name}: ${first.reason}` : "";
  throw new UserError(`${origin} has no operation${reason.replace(/\.$/, "")}.`);
}
