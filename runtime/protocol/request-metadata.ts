import { fail, isObject, under, type ReservedMeta, type Revision } from "../../generated/support.ts";
import { RpcError, errorCodes, invalidParams } from "../jsonrpc/errors.ts";
import { shorten } from "../internal/shorten.ts";
import { isImplementationInfo, type Capabilities, type ImplementationInfo } from "./session.ts";

/** What a request says about itself where every request stands alone. */
export type RequestMetadata =
  /** Nothing: it belongs to a session, if there is one. */
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly error: RpcError }
  | {
      readonly kind: "claim";
      readonly revision: Revision;
      readonly info: ImplementationInfo | undefined;
      readonly capabilities: Capabilities;
    };

/** Reads what requests say about themselves. */
export interface MetadataReader {
  /** The revisions whose requests stand alone, newest first. */
  readonly revisions: readonly Revision[];
  // @part http, older
  /** What a request names as its revision, if it names any. */
  readVersion(params: unknown): unknown;
  /** Reads everything: a revision that is not served, and metadata that is not complete, are refused in this order. */
  read(params: unknown): RequestMetadata;
}

/** Keys of `_meta` that carry what a handshake would have settled. */
export interface MetaKeys {
  readonly version: string;
  readonly capabilities: string;
  readonly clientInfo: string | undefined;
  readonly serverInfo: string | undefined;
  readonly subscription: string | undefined;
}

/** The reader for those of the revisions whose requests stand alone; nothing if there are none. */
export function createMetadataReader(revisions: readonly Revision[]): MetadataReader | undefined {
  const stateless = revisions.filter(({ lifecycle }) => lifecycle === "per-request");
  const known = new Map(stateless.map((revision) => [revision.id, { revision, keys: readMetaKeys(revision) }]));
  const [first] = known.values();
  if (!first) return undefined;
  const versionKeys = [...new Set([...known.values()].map(({ keys }) => keys.version))];
  const findVersion = (meta: Record<string, unknown>): unknown => {
    for (const key of versionKeys) if (meta[key] !== undefined) return meta[key];
    return undefined;
  };
  return {
    revisions: stateless,
    // @part http, older
    readVersion(params) {
      const meta = readMeta(params);
      return meta && findVersion(meta);
    },
    read(params) {
      const meta = readMeta(params);
      if (!meta) return none;
      const requested = findVersion(meta);
      if (requested === undefined) return isPartial(meta, first.keys) ? refuse(missingMetadata(stateless)) : none;
      if (typeof requested !== "string") return refuse(notA("string", first.keys.version));
      const found = known.get(requested);
      if (!found) return refuse(unsupportedVersion(stateless, requested));
      const { revision, keys } = found;
      const capabilities = meta[keys.capabilities];
      if (!isObject(capabilities)) return refuse(notA("object", keys.capabilities));
      const info = keys.clientInfo === undefined ? undefined : meta[keys.clientInfo];
      return { kind: "claim", revision, info: isImplementationInfo(info) ? info : undefined, capabilities };
    },
  };
}

/** Finds the keys by what they carry; throws when a revision does not say where its requests name it. */
export function readMetaKeys(revision: Revision): MetaKeys {
  const find = (on: ReservedMeta["on"], type: string, required?: true): string | undefined =>
    revision.reservedMeta.find((meta) => meta.on === on && meta.type === type && (!required || meta.required))?.key;
  const version = find("request", "string", true);
  const capabilities = find("request", "ClientCapabilities");
  if (version === undefined || capabilities === undefined) {
    throw new Error(`Revision ${revision.id} does not say where requests name their version and capabilities`);
  }
  return {
    version,
    capabilities,
    clientInfo: find("request", "Implementation"),
    serverInfo: find("result", "Implementation"),
    subscription: find("notification", "RequestId"),
  };
}

/**
 * The refusal of a revision in which no request is served. It names only those in which one is: others would have to be opened by a handshake.
 *
 * @see https://modelcontextprotocol.io/specification/latest/basic/versioning
 */
export function unsupportedVersion(revisions: readonly Revision[], requested: unknown): RpcError {
  const supported = revisions.map(({ id }) => id);
  const data = { supported, requested: typeof requested === "string" ? shorten(requested) : "" };
  return new RpcError(codeOf(revisions, "unsupportedProtocolVersion"), "Unsupported protocol version", { data });
}

/** The refusal of a request that does not say which revision it speaks. */
export function missingMetadata(revisions: readonly Revision[]): RpcError {
  const [newest] = revisions;
  return newest
    ? notA("string", readMetaKeys(newest).version)
    : new RpcError(errorCodes.invalidParams, "Invalid params");
}

/** The code of an error by its name, as the newest of the revisions has it. */
export function codeOf(revisions: readonly Revision[], name: string): number {
  const rule = revisions.map(({ errors }) => (Object.hasOwn(errors, name) ? errors[name] : undefined)).find(Boolean);
  return rule?.code ?? errorCodes.invalidRequest;
}

const none: RequestMetadata = { kind: "none" };

function refuse(error: RpcError): RequestMetadata {
  return { kind: "refused", error };
}

function readMeta(params: unknown): Record<string, unknown> | undefined {
  return isObject(params) && isObject(params._meta) ? params._meta : undefined;
}

/** Other metadata of the protocol is there, so a request of this kind was meant. */
function isPartial(meta: Record<string, unknown>, { capabilities, clientInfo }: MetaKeys): boolean {
  return meta[capabilities] !== undefined || (clientInfo !== undefined && meta[clientInfo] !== undefined);
}

function notA(expected: string, key: string): RpcError {
  return invalidParams(under("_meta", fail(expected, key)));
}
