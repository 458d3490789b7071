import { uniqueName } from "../tool-schema/names.ts";
import { isRecord } from "../tool-schema/reading.ts";
import { SchemaRefusal } from "../tool-schema/safe-schema.ts";
import { safeLine } from "../tool-schema/safe-text.ts";
import { UserError } from "../user-error.ts";
import { LeftOut } from "./left-out.ts";
import { basicPrefix, isPassword, type Api, type Credential, type Operation } from "./operation.ts";
import { readOperation, type OperationPlace } from "./read-operation.ts";
import { follow } from "./references.ts";

/** A server with as many tools would be of no use to any model. */
const maxOperations = 5_000;

/** Reads an OpenAPI 3 document. `origin` is named in errors. Throws a {@link UserError} that says what is wrong, and where. */
export function readApi(document: Record<string, unknown>, origin: string): Api {
  checkVersion(document, origin);
  const { paths } = document;
  if (paths === undefined && isRecord(document.webhooks))
    throw new UserError(
      `${origin} describes webhooks alone, which its API calls: there is nothing that a tool could call.`,
    );
  if (!isRecord(paths)) throw new UserError(`${origin}: "paths" is not an object, so there are no operations.`);
  const taken = new Set<string>();
  const operations: Operation[] = [];
  const leftOut: { name: string; reason: string }[] = [];
  const found = listOperations(paths, document, origin);
  if (found.length > maxOperations) {
    const advice = "Leave out what no tool needs.";
    throw new UserError(`${origin} has ${found.length} operations, more than ${maxOperations}. ${advice}`);
  }
  for (const { path, method, item, operation } of found) {
    const place = `${method.toUpperCase()} ${safeLine(path, 100)}`;
    const read = (): Operation | LeftOut => readIfPossible({ path, method, item, operation, document });
    const understood = explain(read, `${origin}: ${place}`);
    if (understood instanceof LeftOut) {
      leftOut.push({ name: place, reason: understood.message });
      continue;
    }
    const name = uniqueName(understood.name, (one) => taken.has(one.toLowerCase()));
    taken.add(name.toLowerCase());
    operations.push({ ...understood, name });
  }
  refuseNothing(operations, leftOut, origin);
  const info = isRecord(document.info) ? document.info : {};
  const title = typeof info.title === "string" ? safeLine(info.title) : "";
  const credential = explain(() => readCredential(document), `${origin}: securitySchemes`);
  return { title, ...readAddress(document, origin), ...credential, operations, leftOut };
}

function checkVersion({ openapi, swagger }: Record<string, unknown>, origin: string): void {
  if (typeof openapi === "string" && /^3\.\d/.test(openapi)) return;
  if (swagger !== undefined)
    throw new UserError(
      `${origin} is Swagger ${String(swagger).slice(0, 10)}. Convert it to OpenAPI 3 first, as \`npx swagger2openapi\` does.`,
    );
  throw new UserError(`${origin}: "openapi" should be 3.0 or 3.1, not ${JSON.stringify(openapi)?.slice(0, 40)}.`);
}

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;

interface Found {
  readonly path: string;
  readonly method: string;
  readonly item: Record<string, unknown>;
  readonly operation: Record<string, unknown>;
}

function listOperations(paths: Record<string, unknown>, document: unknown, origin: string): Found[] {
  return Object.entries(paths).flatMap(([path, value]) => {
    if (!path.startsWith("/")) return [];
    const item = explain(() => follow(value, document), `${origin}: ${safeLine(path, 100)}`);
    if (!isRecord(item))
      throw new UserError(`${origin}: paths ${JSON.stringify(path).slice(0, 100)} is not an object.`);
    return methods.flatMap((method): Found[] => {
      const operation = item[method];
      if (operation === undefined) return [];
      if (isRecord(operation)) return [{ path, method, item, operation }];
      throw new UserError(`${origin}: ${method} of ${JSON.stringify(path).slice(0, 100)} is not an object.`);
    });
  });
}

function readIfPossible(place: OperationPlace): Operation | LeftOut {
  try {
    return readOperation(place);
  } catch (error) {
    if (error instanceof LeftOut) return error;
    throw error;
  }
}

/** A refusal says what, this says where. */
function explain<Result>(read: () => Result, place: string): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SchemaRefusal)) throw error;
    throw new UserError(`${place}: ${error.message}. Put everything into one document that is what it says.`);
  }
}

function refuseNothing(operations: readonly Operation[], leftOut: Api["leftOut"], origin: string): void {
  if (operations.length > 0) return;
  const [first] = leftOut;
  const reason = first ? ` that can be called: ${first.name}: ${first.reason}` : "";
  throw new UserError(`${origin} has no operation${reason}.`);
}

/** Address of the first server, with the defaults of its variables. */
function readAddress({ servers }: Record<string, unknown>, origin: string): { readonly address?: string } {
  const first: unknown = Array.isArray(servers) ? servers[0] : undefined;
  if (!isRecord(first) || typeof first.url !== "string") return {};
  const variables = isRecord(first.variables) ? first.variables : {};
  const text = first.url.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return isRecord(variable) && variable.default !== undefined ? String(variable.default) : whole;
  });
  // Without a host it is relative to where the document came from, which nobody knows.
  if (!URL.canParse(text)) return {};
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol))
    throw new UserError(`${origin}: servers[0] is no http or https address: ${JSON.stringify(text).slice(0, 100)}.`);
  return { address: text.replace(/\/+$/, "") };
}

/** The first scheme that is one token in one place; a password only where there is no other. */
function readCredential(document: Record<string, unknown>): { readonly credential?: Credential } {
  const components = isRecord(document.components) ? document.components : {};
  const schemes = isRecord(components.securitySchemes) ? Object.values(components.securitySchemes) : [];
  const possible = schemes.flatMap((scheme) => toCredential(scheme, document));
  const credential = possible.find((one) => !isPassword(one)) ?? possible[0];
  return credential ? { credential } : {};
}

function toCredential(value: unknown, document: unknown): Credential[] {
  const scheme = follow(value, document);
  if (!isRecord(scheme)) return [];
  const { type, name, scheme: word, in: place } = scheme;
  const prefix = { basic: basicPrefix, bearer: "Bearer " }[String(word).toLowerCase()];
  if (type === "http" && prefix !== undefined) return [{ place: "header", name: "Authorization", prefix }];
  if (type === "oauth2" || type === "openIdConnect")
    return [{ place: "header", name: "Authorization", prefix: "Bearer " }];
  if (type !== "apiKey" || typeof name !== "string" || !/^[\w-]{1,100}$/.test(name)) return [];
  if (place === "query" || place === "cookie") return [{ place, name }];
  return place === "header" ? [{ place, name, prefix: "" }] : [];
}
