import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../internal/package-info.ts";
import type { Method, ReservedMeta, Rules } from "../model.ts";
import { shapeAt, valuesAt } from "./places.ts";
import type { Declared } from "./resolve.ts";

/** Content of `spec/names.json`: names of the protocol compared or sent in code. */
export interface Names {
  /** Methods, by name on the wire, with the declaration of each. */
  readonly methods: Readonly<Record<string, string>>;
  /** Texts allowed by a type or a member. */
  readonly values: readonly { readonly at: string; readonly values: readonly string[] }[];
  readonly members: readonly { readonly of: string; readonly members: readonly string[] }[];
  /** Members looked up in the table of the revision, because some revisions do not have them. */
  readonly knownMembers: readonly string[];
  readonly declarations: readonly string[];
  /** Keys of `_meta`, by name or by the type of their value. */
  readonly meta: readonly MetaName[];
  readonly headers: readonly string[];
  /** Errors, with their codes unless code reads them from the table of the revision. */
  readonly errors: readonly { readonly name: string; readonly code?: number }[];
  /** Names of extensions, by the name of their folder. */
  readonly extensions: Readonly<Record<string, NameSections>>;
}

/** Sections of names. An extension has some of them. */
export type NameSections = Partial<Omit<Names, "extensions">>;

interface MetaName extends Partial<Pick<ReservedMeta, "key" | "type">> {
  readonly on: ReservedMeta["on"];
  readonly required?: true;
}

/** Part of a revision in which the names are looked up. */
export interface Named extends Declared {
  readonly methods: readonly Pick<Method, "name" | "type">[];
  readonly rules: Pick<Rules, "errors" | "headers" | "reservedMeta">;
}

/** A name used in code, in the form in which an overlay removes it. */
export interface UsedName {
  /** `tools/list`, `Tool.inputSchema`, `LoggingLevel:info`, `request._meta:LoggingLevel`, `Mcp-Session-Id` or `invalidParams`. */
  readonly name: string;
  isIn(revision: Named): boolean;
}

/** Returns the names of the protocol compared or sent in code of this package. */
export function readNames(): Names {
  return JSON.parse(readFileSync(join(packageRoot, "spec", "names.json"), "utf8"));
}

/** Returns the names one by one. */
export function usedNames(names: NameSections): readonly UsedName[] {
  const { methods = {}, values = [], members = [], knownMembers = [], declarations = [] } = names;
  const { meta = [], headers = [], errors = [] } = names;
  const places = new Set([
    ...members.flatMap(({ of, members: own }) => own.map((name) => `${of}.${name}`)),
    ...knownMembers,
    ...declarations,
  ]);
  return [
    ...Object.entries(methods).map(([name, type]) => ({
      name,
      isIn: ({ methods: known }: Named) => known.some((method) => method.name === name && method.type === type),
    })),
    ...values.flatMap(({ at, values: texts }) =>
      texts.map((value) => ({ name: `${at}:${value}`, isIn: (model: Named) => valuesAt(at, model).includes(value) })),
    ),
    ...[...places].map((name) => ({ name, isIn: (model: Named) => shapeAt(name, model) !== undefined })),
    ...meta.map(toMetaName),
    ...headers.map((name) => ({
      name,
      isIn: ({ rules }: Named) => rules.headers.some((header) => header.name === name),
    })),
    ...errors.map(({ name, code }) => ({
      name,
      isIn: ({ rules }: Named) =>
        rules.errors.some((rule) => rule.name === name && (code === undefined || rule.code === code)),
    })),
  ];
}

function toMetaName({ on, key, type, required }: MetaName): UsedName {
  return {
    name: key === undefined ? `${on}._meta:${type ?? ""}` : `${on}._meta.${key}`,
    isIn: ({ rules }) =>
      rules.reservedMeta.some(
        (meta) =>
          meta.on === on && (key === undefined ? meta.type === type : meta.key === key) && (!required || meta.required),
      ),
  };
}
