import { escapeKey, fail, isObject, under, type ReservedMeta, type Revision } from "../../../generated/support.ts";
import { RpcError, errorCodes, invalidParams } from "../../jsonrpc/errors.ts";
import { shorten } from "../../internal/shorten.ts";
import { isImplementationInfo, type PeerInfo } from "./session.ts";

/** Metadata of a request, at revisions with stateless requests, with the version named by it, if any. */
export type RequestMetadata =
  /** No metadata: the request belongs to a session, if there is one. */
  | { readonly kind: "none"; readonly version: undefined }
  | { readonly kind: "refused"; readonly version: unknown; readonly error: RpcError }
  | { readonly kind: "metadata"; readonly version: string; readonly revision: Revision; readonly client: PeerInfo };

/** Reads the metadata of stateless requests. */
export interface MetadataReader {
  /** Revisions with stateless requests, newest first. */
  readonly revisions: readonly Revision[];
  /** Returns the revision named by a request, if any. */
  readVersion(params: unknown): unknown;
  /** Reads all metadata. First rejects an unsupported revision, then incomplete metadata. */
  read(params: unknown): RequestMetadata;
}

/** Keys of `_meta` for the information otherwise exchanged in a handshake. */
export interface MetaKeys {
  readonly version: string;
  readonly capabilities: string;
  readonly clientInfo: string | undefined;
  readonly logLevel: string | undefined;
  readonly serverInfo: string | undefined;
  readonly subscription: string | undefined;
}

/** Creates the reader for those of the revisions with stateless requests; returns `undefined` if there are none. */
export function createMetadataReader(revisions: readonly Revision[]): MetadataReader | undefined {
  const statelessRevisions = revisions.filter(({ lifecycle }) => lifecycle === "per-request");
  const known = new Map(
    statelessRevisions.map((revision) => [revision.id, { revision, keys: readMetaKeys(revision) }]),
  );
  const [first] = known.values();
  if (!first) return undefined;
  const versionKeys = [...new Set([...known.values()].map(({ keys }) => keys.version))];
  const findVersion = (meta: Record<string, unknown>): unknown => {
    for (const key of versionKeys) if (meta[key] !== undefined) return meta[key];
    return undefined;
  };
  return {
    revisions: statelessRevisions,
    readVersion(params) {
      const meta = readMeta(params);
      return meta && findVersion(meta);
    },
    read(params) {
      const meta = readMeta(params);
      if (!meta) return none;
      const version = findVersion(meta);
      if (version === undefined)
        return isPartial(meta, first.keys) ? toRejection(version, missingMetadata(statelessRevisions)) : none;
      if (typeof version !== "string") return toRejection(version, notA("string", first.keys.version));
      const found = known.get(version);
      if (!found) return toRejection(version, unsupportedVersion(statelessRevisions, version));
      const { revision, keys } = found;
      const capabilities = meta[keys.capabilities];
      if (!isObject(capabilities)) return toRejection(version, notA("object", keys.capabilities));
      const info = keys.clientInfo === undefined ? undefined : meta[keys.clientInfo];
      const client = { info: isImplementationInfo(info) ? info : undefined, capabilities };
      return { kind: "metadata", version, revision, client };
    },
  };
}

/**
 * Finds the keys by their content.
 *
 * @throws {Error} when a revision does not define where its requests name version and capabilities
 */
export function readMetaKeys(revision: Revision): MetaKeys {
  const find = (on: ReservedMeta["on"], type: string, required?: true): string | undefined =>
    revision.reservedMeta.find((meta) => meta.on === on && meta.type === type && (!required || meta.required))?.key;
  const version = find("request", "string", true);
  const capabilities = find("request", "ClientCapabilities");
  if (version === undefined || capabilities === undefined) {
    throw new Error(
      `Revision ${revision.id} has no _meta keys for the protocol version and the capabilities of requests`,
    );
  }
  return {
    version,
    capabilities,
    clientInfo: find("request", "Implementation"),
    logLevel: find("request", "LoggingLevel"),
    serverInfo: find("result", "Implementation"),
    subscription: find("notification", "RequestId"),
  };
}

/**
 * Creates the error of a request at a revision without stateless service. It names the revisions with stateless service only: others need a
 * handshake.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */
export function unsupportedVersion(revisions: readonly Revision[], requested: unknown): RpcError {
  const supported = revisions.map(({ id }) => id);
  const data = { supported, requested: typeof requested === "string" ? shorten(requested) : "" };
  return new RpcError(codeOf(revisions, "unsupportedProtocolVersion"), "Unsupported protocol version", { data });
}

/** Creates the error of a request without the name of its revision. */
export function missingMetadata(revisions: readonly Revision[]): RpcError {
  const [newest] = revisions;
  return newest
    ? notA("string", readMetaKeys(newest).version)
    : new RpcError(errorCodes.invalidParams, "Invalid params");
}

/** Creates the error of a request without metadata. An `initialize` learns which revisions are served, all of them without a handshake. */
export function withoutMetadata(
  { method, params }: { readonly method: string; readonly params: unknown },
  revisions: readonly Revision[],
): RpcError {
  const isOpening = method === "initialize" && isObject(params);
  return isOpening ? unsupportedVersion(revisions, params.protocolVersion) : missingMetadata(revisions);
}

/** Returns the code of an error by its name, from the newest of the revisions with this error; `invalidRequest` if there is none. */
export function codeOf(revisions: readonly Revision[], name: string): number {
  const rule = revisions.map(({ errors }) => (Object.hasOwn(errors, name) ? errors[name] : undefined)).find(Boolean);
  return rule?.code ?? errorCodes.invalidRequest;
}

// A function within `read` would be created for each request, and bundlers that keep its name define that as a property each time.
function toRejection(version: unknown, error: RpcError): RequestMetadata {
  return { kind: "refused", version, error };
}

const none: RequestMetadata = { kind: "none", version: undefined };

function readMeta(params: unknown): Record<string, unknown> | undefined {
  return isObject(params) && isObject(params._meta) ? params._meta : undefined;
}

/** True if other metadata of the protocol is present: a stateless request was meant. */
function isPartial(meta: Record<string, unknown>, { capabilities, clientInfo }: MetaKeys): boolean {
  return meta[capabilities] !== undefined || (clientInfo !== undefined && meta[clientInfo] !== undefined);
}

function notA(expected: string, key: string): RpcError {
  return invalidParams(under("_meta", fail(expected, escapeKey(key))));
}
