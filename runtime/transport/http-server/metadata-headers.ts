import type { HeaderRule, Revision } from "../../../generated/support.ts";
import { decodeField, readParamValue } from "../../framing/param-headers.ts";
import { createMetadataReader, type MetadataReader } from "../../protocol/request-metadata.ts";
import type { RequestHead } from "./exchange/exchange.ts";

/** What requests that stand alone say about themselves, in the message and in its headers. */
export interface MetadataRules extends MetadataReader {
  readonly headers: MetadataHeaders;
}

/** What the headers of requests that stand alone have to say, made ready once: they are looked at with every request. */
export interface MetadataHeaders {
  /** The header that names the revision. */
  readonly version: FieldName;
  /** The first header that does not say what the message says, by its name. */
  findUnlike(head: RequestHead, message: MetadataMessage, revision: Revision): string | undefined;
}

/** A header as people write it, and as it is looked up. */
export interface FieldName {
  readonly name: string;
  readonly field: string;
}

/** What a request says itself. */
export interface MetadataMessage {
  readonly method: string;
  readonly params: unknown;
}

/** The reader for those of the revisions whose requests stand alone; nothing if there are none. */
export function createMetadataRules(revisions: readonly Revision[]): MetadataRules | undefined {
  const reader = createMetadataReader(revisions);
  return reader && { ...reader, headers: createClaimHeaders(reader.revisions) };
}

/** Throws when no revision says which header names it. */
function createClaimHeaders(revisions: readonly Revision[]): MetadataHeaders {
  const named = revisions.flatMap(({ headers }) => headers).find(({ source }) => source === "revision");
  if (!named) throw new Error("No revision without sessions says which header names it");
  const rules = new Map(revisions.map((revision) => [revision, revision.headers.flatMap(toClaimRule)]));
  return {
    version: toFieldName(named.name),
    findUnlike: (head, message, revision) => rules.get(revision)?.find((rule) => !agrees(head, rule, message))?.name,
  };
}

interface ClaimRule extends FieldName {
  readonly methods: readonly string[] | undefined;
  readonly required: boolean;
  read(message: MetadataMessage): unknown;
  /** The text that the value of the header stands for. */
  decode(field: string): string | undefined;
}

/**
 * The version has been compared before: it decides which rules hold. Only what comes from params may be encoded: whoever stands in between
 * takes the method as it is written.
 */
function toClaimRule({ name, source, methods, required }: HeaderRule): readonly ClaimRule[] {
  const [part, ...path] = source.split(".");
  const rule = { ...toFieldName(name), methods, required };
  if (source === "method") return [{ ...rule, read: ({ method }) => method, decode: (field) => field.trim() }];
  return part === "params"
    ? [{ ...rule, read: ({ params }) => readParamValue(params, path), decode: decodeField }]
    : [];
}

function toFieldName(name: string): FieldName {
  return { name, field: name.toLowerCase() };
}

function agrees(head: RequestHead, rule: ClaimRule, message: MetadataMessage): boolean {
  const { field, methods, required, read, decode } = rule;
  if (methods && !methods.includes(message.method)) return true;
  const expected = read(message);
  // Without the member there is nothing to compare: the params are not valid then.
  if (typeof expected !== "string") return true;
  const text = head.header(field);
  if (head.isRepeated(field)) return false;
  return text === undefined ? !required : decode(text) === expected;
}
