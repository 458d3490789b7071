import type { ExtensionModel, RevisionModel } from "../model.ts";
import { isRecord, parseJson } from "../internal/json-text.ts";
import { readPackaged } from "../internal/packaged.ts";

/** File with the models of this package, which the build writes: reading the schemas takes a compiler and more than a second. */
export const packagedModels = "models.json";

/** Models of this package, and what each revision was read from. */
export interface PackagedModels {
  /** SHA-256 of the spec folder. */
  readonly digest: string;
  /** Models of the revisions, oldest first. */
  readonly models: readonly RevisionModel[];
  readonly extensions: readonly ExtensionModel[];
  /** Models of the revisions, by the digest of everything they are read from. */
  readonly byDigest: ReadonlyMap<string, RevisionModel>;
}

/** Models as the build stores them. The declarations of the core are stored once. */
interface Packed {
  readonly digest: string;
  /** Digests of the revisions, in the order of their models. */
  readonly digests: readonly string[];
  readonly models: readonly RevisionModel[];
  readonly extensions: readonly PackedExtension[];
}

/** Extension with the identifier of the revision whose declarations it uses. */
type PackedExtension = Omit<ExtensionModel, "core" | "scope"> & { readonly revision: string };

/** Returns the text of the file {@link packagedModels}. `digests` has one for each revision, in their order. */
export function packModels(
  { digest, models, extensions }: Omit<PackagedModels, "byDigest">,
  digests: readonly string[],
): string {
  const packed: Packed = {
    digest,
    digests,
    models,
    extensions: extensions.map(({ core, scope: _scope, ...own }) => ({ ...own, revision: core.id })),
  };
  return JSON.stringify(packed);
}

/** Reads the models of this package, if their build is of this code. */
export async function readPackagedModels(): Promise<PackagedModels | undefined> {
  const text = await readPackaged(packagedModels);
  const packed = parseJson(text ?? "");
  if (!isPacked(packed)) return undefined;
  const { digest, digests, models, extensions } = packed;
  return {
    digest,
    models,
    byDigest: new Map(models.map((model, index) => [digests[index] ?? "", model])),
    extensions: extensions.flatMap(({ revision, ...own }) => {
      const core = models.find(({ id }) => id === revision);
      return core ? [{ ...own, core, scope: [...core.declarations, ...own.declarations] }] : [];
    }),
  };
}

/** True for models that this code has written: {@link readPackaged} returns no others, unless the file is cut off. */
function isPacked(value: unknown): value is Packed {
  if (!isRecord(value) || typeof value.digest !== "string" || !Array.isArray(value.digests)) return false;
  return [value.models, value.extensions].every((list) => Array.isArray(list) && list.every(hasFormat));
}

function hasFormat(model: unknown): boolean {
  return isRecord(model) && model.format === (1 satisfies RevisionModel["format"]);
}
