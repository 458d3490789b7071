import { readSpecModels } from "../../read/spec-models.ts";
import { UserError } from "../../internal/user-error.ts";
import { findSpec } from "../layer/catalogue.ts";
import type { LayerChoices } from "../layer/choices.ts";
import { emitLayer } from "../layer/emit-layer.ts";
import { readInstalledLayer } from "../layer/installed-layer.ts";
import { previousName, replaceLayer, restoreLayer } from "../layer/replace-layer.ts";

/** Growth of a protocol layer. */
export interface Growth {
  /** New part of the layer, for messages: "prompts". */
  readonly part: string;
  /** Returns the choices with the new part. */
  readonly grow: (choices: LayerChoices) => LayerChoices;
}

/** Regenerates the layer of a project with a new part. When `use` fails, restores the previous layer. */
export async function growLayer(folder: string, { part, grow }: Growth, use: () => Promise<void>): Promise<void> {
  const { choices, edited, folder: layer } = await readInstalledLayer(folder);
  if (edited.length > 0) {
    throw new UserError(
      `src/mcp/ needs ${part} but was edited by hand: ${edited.slice(0, 5).join(", ")}. ` +
        "Run `npx create-mcp-server update --force` first; it keeps a copy.",
    );
  }
  const models = await readSpecModels(findSpec(undefined, { project: folder, choices }));
  await replaceLayer(folder, layer, await emitLayer(grow(choices), models));
  try {
    await use();
  } catch (error) {
    await restoreLayer(folder, layer);
    throw error;
  }
  console.log(`Regenerated src/mcp/ with ${part}; the previous files are in ${previousName}.`);
}
