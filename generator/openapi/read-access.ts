import { uniqueName } from "../internal/unique-name.ts";
import { isRecord } from "../internal/json-text.ts";
import { basicPrefix, isPassword, type Credential, type CredentialPlace } from "./operation.ts";
import { follow } from "./follow.ts";

/** Credentials for the operations of a document. */
export interface Access {
  /** Credentials sent by at least one operation. */
  readonly credentials: readonly Credential[];
  /** Variables of the credentials sent by each operation, in the order of the operations. */
  readonly sent: readonly (readonly string[])[];
  /** Names of security schemes that operations accept instead, but none sends. */
  readonly unused: readonly string[];
  /** Declared security schemes of each operation that cannot be sent: `login (http digest)`. Empty if it can send everything it needs. */
  readonly unsupported: readonly (readonly string[])[];
}

/** Security requirements of operations, and the names of the settings for their credentials. */
export interface AccessOptions {
  readonly securities: readonly unknown[];
  /** First word of the names of settings. */
  readonly variables: string;
}

/**
 * Determines the credentials sent by each operation. `securities` are the security requirements of the operations, or of their document for them:
 * alternatives, each with its schemes. Among several alternatives it chooses the one accepted by most other operations, to require as few tokens as
 * possible from a user. If no alternative can be sent completely, it chooses the sendable credentials of one.
 */
export function readAccess(document: Record<string, unknown>, { securities, variables: word }: AccessOptions): Access {
  const schemes = readSchemes(document);
  const places = readPlaces(schemes);
  // If a document has no security requirements, its schemes apply to every operation.
  const isSilent = securities.every((security) => security === undefined);
  const every = [...schemes.keys()].map((name) => [name]);
  const declared = securities.map((security) => (isSilent ? every : readAlternatives(security)));
  const offered = declared.map((alternatives) => findUsable(alternatives, places));
  const ranks = rankSchemes(places, offered);
  const rankOf = (names: readonly string[]): number => Math.max(-1, ...names.map((name) => ranks.indexOf(name)));
  const chosen = offered.map((alternatives) => {
    const some = alternatives.filter((names) => names.length > 0);
    return some.toSorted((one, other) => rankOf(one) - rankOf(other))[0] ?? [];
  });
  const used = [...places].filter(([name]) => chosen.some((names) => names.includes(name)));
  const names = used.map(([name]) => name);
  const accepted = new Set(offered.flat(2));
  const unused = [...places.keys()].filter((name) => accepted.has(name) && !names.includes(name));
  const variables = nameVariables(names, word);
  const isNeeded = (name: string): boolean =>
    offered.some((alternatives, at) => chosen[at]?.includes(name) && alternatives.every((names) => names.length > 0));
  return {
    credentials: used.map(([scheme, place]) => {
      return { ...place, scheme, variable: variables.get(scheme) ?? scheme, isOptional: !isNeeded(scheme) };
    }),
    sent: chosen.map((sent) => sent.flatMap((name) => variables.get(name) ?? [])),
    unused,
    unsupported: declared.map((alternatives) =>
      findUnsupported(alternatives, places).map((name) => `${name} (${kindOf(schemes.get(name))})`),
    ),
  };
}

function readSchemes(document: Record<string, unknown>): ReadonlyMap<string, unknown> {
  const components = isRecord(document.components) ? document.components : {};
  const schemes = isRecord(components.securitySchemes) ? Object.entries(components.securitySchemes) : [];
  return new Map(schemes.map(([name, scheme]) => [name, follow(scheme, document)]));
}

/** Returns the positions of schemes whose credential is one text in one place. */
function readPlaces(schemes: ReadonlyMap<string, unknown>): ReadonlyMap<string, CredentialPlace> {
  return new Map([...schemes].flatMap(([name, scheme]) => toPlace(scheme).map((place) => [name, place] as const)));
}

function toPlace(scheme: unknown): CredentialPlace[] {
  if (!isRecord(scheme)) return [];
  const { type, name, scheme: word, in: place } = scheme;
  const prefix = typeof word === "string" ? prefixes.get(word.toLowerCase()) : undefined;
  if (type === "http" && prefix !== undefined) return [{ place: "header", name: "Authorization", prefix }];
  if (type === "oauth2" || type === "openIdConnect")
    return [{ place: "header", name: "Authorization", prefix: "Bearer " }];
  if (type !== "apiKey" || typeof name !== "string" || !credentialName.test(name)) return [];
  return place === "query" || place === "cookie" || place === "header" ? [{ place, name, prefix: "" }] : [];
}

/** Names accepted in every place: the names of headers (RFC 9110). */
const credentialName = /^[\w!#$%&'*+.^`|~-]{1,100}$/;

/** Texts before the tokens of schemes of HTTP. */
const prefixes: ReadonlyMap<string, string> = new Map([
  ["basic", basicPrefix],
  ["bearer", "Bearer "],
]);

/** Describes a scheme that cannot be sent: `http digest`. */
function kindOf(scheme: unknown): string {
  if (!isRecord(scheme)) return "not declared";
  return [scheme.type, scheme.scheme].filter((word) => typeof word === "string").join(" ") || "of no type";
}

function readAlternatives(security: unknown): readonly string[][] {
  return Array.isArray(security) ? security.filter(isRecord).map((names) => Object.keys(names)) : [];
}

/** Returns the alternatives that can be sent, otherwise their sendable parts. */
function findUsable(alternatives: readonly string[][], places: ReadonlyMap<string, unknown>): readonly string[][] {
  const complete = alternatives.filter((names) => names.every((name) => places.has(name)));
  if (complete.length > 0) return complete;
  const parts = alternatives.map((names) => names.filter((name) => places.has(name)));
  return parts.filter((names) => names.length > 0);
}

/** Returns the schemes that cannot be sent. Returns none if an alternative with credentials can be sent completely. */
function findUnsupported(alternatives: readonly string[][], places: ReadonlyMap<string, unknown>): readonly string[] {
  if (alternatives.some((names) => names.length > 0 && names.every((name) => places.has(name)))) return [];
  return [...new Set(alternatives.flat())].filter((name) => !places.has(name));
}

/** Sorts schemes: the ones accepted by most operations come first, and passwords last. */
function rankSchemes(
  places: ReadonlyMap<string, CredentialPlace>,
  offered: readonly (readonly string[][])[],
): readonly string[] {
  const uses = (name: string): number => offered.filter((names) => names.some((one) => one.includes(name))).length;
  const counted = [...places].map(([name, place]) => ({ name, isLast: isPassword(place), count: uses(name) }));
  const sorted = counted.toSorted((one, other) => Number(one.isLast) - Number(other.isLast) || other.count - one.count);
  return sorted.map(({ name }) => name);
}

/** Assigns environment variables to schemes. A single scheme uses `API_TOKEN`, with the word `API`. */
function nameVariables(schemes: readonly string[], word: string): ReadonlyMap<string, string> {
  if (schemes.length < 2) return new Map(schemes.map((scheme) => [scheme, `${word}_TOKEN`]));
  const taken = new Set<string>();
  return new Map(
    schemes.map((scheme) => {
      const words = scheme.replaceAll(/([a-z\d])([A-Z])/g, "$1_$2").match(/[A-Za-z\d]{1,1000}/g) ?? ["OTHER"];
      const wanted = `${word}_TOKEN_${words.join("_").toUpperCase()}`.slice(0, 60);
      const variable = uniqueName(wanted, (name) => taken.has(name));
      taken.add(variable);
      return [scheme, variable];
    }),
  );
}
