import { readConversions, type Conversions } from "../conversions/conversions.ts";
import type { RevisionModel } from "../model.ts";
import { createConvertWriter, type ConvertFunction } from "./convert-text.ts";
import { methodsOf, tableSpecs } from "./method-text.ts";

/** Conversions of one revision as text. They are plain data, so that the build can store them. */
export interface WrittenConversions {
  readonly functions: readonly ConvertFunction[];
  readonly methods: readonly MethodConversions[];
}

/** Conversions of the params and the result of a method, by the names of their functions. */
export interface MethodConversions {
  /** Name of the method's declaration. */
  readonly type: string;
  readonly params?: string;
  readonly result?: string;
}

/** Writes the conversions of every method of a revision. Functions are named in the order of the dispatch tables. */
export function writeConversions(conversions: Conversions): WrittenConversions {
  const { callee, functions } = createConvertWriter(conversions);
  const inTables = tableSpecs.flatMap((spec) => methodsOf(conversions.model.methods, spec));
  const methods = [...new Set(inTables)].flatMap((method) =>
    conversions.methods
      .filter((found) => found.method === method)
      .map((parts): MethodConversions => {
        const params = callee(parts.params);
        const result = callee(parts.result);
        return { type: method.type, ...(params !== undefined && { params }), ...(result !== undefined && { result }) };
      }),
  );
  return { functions, methods };
}

/**
 * Writes the conversions to some of the revisions, by the id of each.
 *
 * @throws {SpecError} when a difference to a newer revision has no rule.
 */
export function writeAllConversions(
  models: readonly RevisionModel[],
  ids: readonly string[],
): ReadonlyMap<string, WrittenConversions> {
  const chosen = models.filter(({ id }) => ids.includes(id));
  return new Map(chosen.map((model) => [model.id, writeConversions(readConversions(models, model))]));
}
