import type { WrittenConversions } from "../../emit/written-conversions.ts";
import { isRecord, parseJson } from "../../internal/json-text.ts";
import { readPackaged } from "../../internal/packaged.ts";
import type { SpecModels } from "../../read/spec-models.ts";

/** Conversions to older revisions, by the id of each. */
export type ConversionsById = ReadonlyMap<string, WrittenConversions>;

/** File with the conversions of this package's revisions, which the build writes: to compare the revisions takes a fifth of the time of `create`. */
export const packagedConversions = "conversions.json";

/**
 * Reads the conversions to some revisions of a spec folder.
 *
 * @throws {SpecError} when a difference between these and newer revisions of the folder has no rule.
 */
export async function readLayerConversions(spec: SpecModels, ids: readonly string[]): Promise<ConversionsById> {
  const packed = parseJson((await readPackaged(packagedConversions)) ?? "{}");
  if (isPacked(packed) && packed.digest === spec.digest) return new Map(Object.entries(packed.revisions));
  const { writeAllConversions } = await import("../../emit/written-conversions.ts");
  return writeAllConversions(spec.models, ids);
}

/** Returns the text of the file that {@link readLayerConversions} reads while the spec folder is unchanged. */
export function packConversions({ digest }: SpecModels, conversions: ConversionsById): string {
  const packed: Packed = { digest, revisions: Object.fromEntries(conversions) };
  return JSON.stringify(packed);
}

/** Conversions as the build stores them. */
interface Packed {
  readonly digest: string;
  readonly revisions: Readonly<Record<string, WrittenConversions>>;
}

/** True for conversions that this code has written: {@link readPackaged} returns no others, unless the file is cut off. */
function isPacked(value: unknown): value is Packed {
  return isRecord(value) && typeof value.digest === "string" && isRecord(value.revisions);
}
