import { uniqueName } from "../typed-client/tool-schema/names.ts";
import { isRecord } from "../typed-client/tool-schema/reading.ts";
import { basicPrefix, isPassword, type Credential, type CredentialPlace } from "./operation.ts";
import { follow } from "./references.ts";

/** Credentials that the operations of a document need. */
export interface Access {
  /** Credentials that at least one operation sends. */
  readonly credentials: readonly Credential[];
  /** Variables of the credentials that each operation sends, in the order of the operations. */
  readonly sent: readonly (readonly string[])[];
  /** Names of security schemes that operations accept instead, and that no operation sends. */
  readonly unused: readonly string[];
}

/** Security requirements of operations, and the names of the settings for their credentials. */
export interface AccessOptions {
  readonly securities: readonly unknown[];
  /** First word of the names of settings. */
  readonly variables: string;
}

/**
 * Determines the credentials that each operation sends. `securities` are the security requirements of the operations, or of their document for them:
 * alternatives, each with its schemes. Among several alternatives it chooses the one that most other operations accept as well, so that a user needs
 * as few tokens as possible.
 */
export function readAccess(document: Record<string, unknown>, { securities, variables: word }: AccessOptions): Access {
  const places = readPlaces(document);
  // If a document has no security requirements, its schemes apply to every operation.
  const isSilent = securities.every((security) => security === undefined);
  const all = securities.map((security) => readAlternatives(security, places));
  const offered = isSilent ? all.map(() => [...places.keys()].map((name) => [name])) : all;
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
  };
}

/** Returns the positions of schemes that consist of one text in one place. */
function readPlaces(document: Record<string, unknown>): ReadonlyMap<string, CredentialPlace> {
  const components = isRecord(document.components) ? document.components : {};
  const schemes = isRecord(components.securitySchemes) ? Object.entries(components.securitySchemes) : [];
  return new Map(schemes.flatMap(([name, scheme]) => toPlace(scheme, document).map((place) => [name, place] as const)));
}

function toPlace(value: unknown, document: unknown): CredentialPlace[] {
  const scheme = follow(value, document);
  if (!isRecord(scheme)) return [];
  const { type, name, scheme: word, in: place } = scheme;
  const prefix = typeof word === "string" ? prefixes.get(word.toLowerCase()) : undefined;
  if (type === "http" && prefix !== undefined) return [{ place: "header", name: "Authorization", prefix }];
  if (type === "oauth2" || type === "openIdConnect")
    return [{ place: "header", name: "Authorization", prefix: "Bearer " }];
  if (type !== "apiKey" || typeof name !== "string" || !credentialName.test(name)) return [];
  return place === "query" || place === "cookie" || place === "header" ? [{ place, name, prefix: "" }] : [];
}

/** Names that every place accepts: those of headers (RFC 9110). */
const credentialName = /^[\w!#$%&'*+.^`|~-]{1,100}$/;

/** Texts before the tokens of schemes of HTTP. */
const prefixes: ReadonlyMap<string, string> = new Map([
  ["basic", basicPrefix],
  ["bearer", "Bearer "],
]);

/** Returns the alternatives that can be sent. Returns one empty alternative if no credential is required, or none can be sent. */
function readAlternatives(security: unknown, places: ReadonlyMap<string, CredentialPlace>): readonly string[][] {
  const all = Array.isArray(security) ? security.filter(isRecord).map((names) => Object.keys(names)) : [];
  const possible = all.filter((names) => names.every((name) => places.has(name)));
  return possible.length > 0 ? possible : [[]];
}

/** Sorts schemes: those that most operations accept come first, and passwords last. */
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
      const words = scheme.replaceAll(/([a-z\d])([A-Z])/g, "$1_$2").match(/[A-Za-z\d]+/g) ?? ["OTHER"];
      const wanted = `${word}_TOKEN_${words.join("_").toUpperCase()}`.slice(0, 60);
      const variable = uniqueName(wanted, (name) => taken.has(name));
      taken.add(variable);
      return [scheme, variable];
    }),
  );
}
