import type { HeaderRule, Revision } from "../../../generated/support.ts";
import { decodeField, joint, readParamValue } from "../../framing/param-headers.ts";
import { createMetadataReader, type MetadataReader } from "../../protocol/session/request-metadata.ts";
import type { RequestHead } from "./exchange/exchange.ts";

/** Rules for the metadata of stateless requests, in the message and in its headers. */
export interface MetadataRules extends MetadataReader {
  readonly headers: MetadataHeaders;
}

/** Rules for the headers of stateless requests. Prepared once, because every request is checked. */
export interface MetadataHeaders {
  /** Header with the name of the revision. */
  readonly version: FieldName;
  /** Returns the name of the first header in conflict with the message. */
  findUnlike(head: RequestHead, message: MetadataMessage, revision: Revision): string | undefined;
}

/** Name of a header as it is written, and its lower-case form for look-ups. */
export interface FieldName {
  readonly name: string;
  readonly field: string;
}

/** Parts of a request with copies in its headers. */
export interface MetadataMessage {
  readonly method: string;
  readonly params: unknown;
}

/**
 * Returns the rules for the stateless revisions among those given; `undefined` without any.
 *
 * @throws {Error} when none of them specifies a header for the name of the revision
 */
export function createMetadataRules(revisions: readonly Revision[]): MetadataRules | undefined {
  const reader = createMetadataReader(revisions);
  return reader && { ...reader, headers: createMetadataHeaders(reader.revisions) };
}

/** @throws {Error} when no revision specifies a header for its name */
function createMetadataHeaders(revisions: readonly Revision[]): MetadataHeaders {
  const named = revisions.flatMap(({ headers }) => headers).find(({ source }) => source === "revision");
  if (!named) throw new Error("No revision with stateless requests has a protocol version header");
  const rules = new Map(revisions.map((revision) => [revision, revision.headers.flatMap(toMetadataRule)]));
  return {
    version: toFieldName(named.name),
    findUnlike(head, message, revision) {
      for (const rule of rules.get(revision) ?? []) {
        const applies = !rule.methods || rule.methods.includes(message.method);
        if (applies && !agrees(head, rule, message)) return rule.name;
      }
      return undefined;
    },
  };
}

interface MetadataRule extends FieldName {
  readonly methods: readonly string[] | undefined;
  readonly required: boolean;
  read(message: MetadataMessage): unknown;
  /** Returns the text encoded by the value of the header. */
  decode(field: string): string | undefined;
}

/**
 * Returns the rule for a header. The version is checked earlier, because it determines the rules. Only copies of params may be encoded:
 * intermediaries read the method as it is.
 */
function toMetadataRule({ name, source, methods, required }: HeaderRule): readonly MetadataRule[] {
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

function agrees(head: RequestHead, rule: MetadataRule, message: MetadataMessage): boolean {
  const { field, required, read, decode } = rule;
  const expected = read(message);
  // Without the member there is nothing to compare: the params are then not valid.
  if (typeof expected !== "string") return true;
  const text = head.header(field);
  if (text === undefined) return !required;
  // Platforms join the lines of a repeated header.
  if (text.includes(joint) && head.isRepeated(field)) return false;
  return decode(text) === expected;
}
