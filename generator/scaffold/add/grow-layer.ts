import { readSpecModels } from "../../read/spec-models.ts";
import { UserError } from "../../internal/user-error.ts";
import { findSpec } from "../layer/catalogue.ts";
import type { LayerChoices } from "../layer/choices.ts";
import { emitLayer } from "../layer/emit-layer.ts";
import { readInstalledLayer } from "../layer/installed-layer.ts";
import { previousName, replaceLayer } from "../layer/replace-layer.ts";
import type { RestoreFiles } from "./write-files.ts";

/** Growth of a protocol layer. */
export interface Growth {
  /** New part of the layer, for messages: "prompts". */
  readonly part: string;
  /** Returns the choices with the new part. */
  readonly grow: (choices: LayerChoices) => LayerChoices;
}

/** Regenerates the layer of a project with a new part. First, `use` writes the files that need it. On failure, both are as before. */
export async function growLayer(
  folder: string,
  { part, grow }: Growth,
  use: () => Promise<RestoreFiles>,
): Promise<void> {
  const { choices, edited, folder: layer } = await readInstalledLayer(folder);
  if (edited.length > 0) {
    throw new UserError(
      `src/mcp/ needs ${part} but was edited by hand: ${edited.slice(0, 5).join(", ")}. ` +
        "Run `npx create-mcp-server update --force` first; it keeps a copy.",
    );
  }
  const models = await readSpecModels(findSpec(undefined, { project: folder, choices }));
  const tree = await emitLayer(grow(choices), models);
  const restore = await use();
  try {
    await replaceLayer(folder, layer, tree);
  } catch (error) {
    await restore();
    throw error;
  }
  console.log(`Regenerated src/mcp/ with ${part}; the previous files are in ${previousName}.`);
}
