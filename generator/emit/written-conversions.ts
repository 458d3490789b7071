import { readConversions, type Conversions, type RevisionConversions } from "../conversions/conversions.ts";
import type { RevisionModel } from "../model.ts";
import { createConvertWriter, type ConvertFunction, type ConvertWriterOptions } from "./convert-text.ts";
import { methodsOf, tableSpecs } from "./method-text.ts";

/** Conversions of one revision as text. They are plain data: the build can store them. */
export interface WrittenConversions extends WrittenFunctions {
  /** Conversions of what peers of the revision send, oldest first. Each applies from its revision up to the next. */
  readonly received: readonly (WrittenFunctions & { readonly since: string })[];
}

/** Functions in one direction, and the methods they convert. */
export interface WrittenFunctions {
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
export function writeConversions(conversions: RevisionConversions): WrittenConversions {
  const taken = new Set<string>();
  const sent = writeFunctions(conversions, { prefix: "to", taken });
  return { ...sent, received: writeReceived(conversions, taken) };
}

/** Newer revisions for which values are the same as for the revision before them share its conversions. */
function writeReceived({ received }: RevisionConversions, taken: ReadonlySet<string>): WrittenConversions["received"] {
  const names = new Set(taken);
  const written: (WrittenFunctions & { readonly since: string })[] = [];
  let last: string | undefined;
  for (const conversions of received) {
    const trial = writeFunctions(conversions, { prefix: "from", taken: new Set(taken) });
    const text = trial.functions.length === 0 ? undefined : JSON.stringify(trial);
    if (text === last) continue;
    last = text;
    written.push({ since: conversions.to.id, ...writeFunctions(conversions, { prefix: "from", taken: names }) });
  }
  return written;
}

/** Writes the conversions of one direction. */
export function writeFunctions(conversions: Conversions, options: ConvertWriterOptions): WrittenFunctions {
  const { callee, functions } = createConvertWriter(conversions, options);
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
