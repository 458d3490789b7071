import type { RevisionModel } from "../../model.ts";
import type { SpecModels } from "../../read/spec-models.ts";
import { features, type Feature, type LayerChoices } from "./choices.ts";
import { emitUnformattedLayer, loadLayerParts } from "./emit-layer.ts";

/**
 * Returns the modules of layers with usual choices before formatting. The build formats their declarations: every type, check and conversion of each
 * revision, and the tables of usual features. Transports and authentication only change imports and exports.
 */
export async function emitUsualLayers(spec: SpecModels): Promise<string[]> {
  const older = spec.models.slice(0, -1).map(({ id }) => id);
  const parts = await loadLayerParts(spec, older);
  return usualChoices(spec.models).flatMap((choices) => [...emitUnformattedLayer(choices, spec, parts).values()]);
}

function usualChoices(models: readonly RevisionModel[]): LayerChoices[] {
  const all = models.map(({ id }) => id).toReversed();
  const latest = all.slice(0, 1);
  const parts = all.flatMap((id, at) => [all.slice(at), all.slice(0, at + 1), [id]]);
  const further = features.filter((feature) => !usualFeatures.includes(feature));
  return [
    ...parts.map((revisions) => ({ ...usual, revisions })),
    ...[all, latest].flatMap((revisions) => [
      { ...usual, revisions, features: fewest },
      { ...usual, revisions, features },
    ]),
    ...further.map((feature) => ({ ...usual, revisions: all, features: [...usual.features, feature] })),
    { ...usual, revisions: all, client: true },
    ...[all, ...all.map((id) => [id])].map((revisions) => ({ ...usual, revisions, client: true, features })),
  ];
}

const usualFeatures: readonly Feature[] = ["tools", "resources", "prompts"];

const usual = {
  features: usualFeatures,
  transports: ["stdio"],
  client: false,
  validator: false,
  auth: "none",
} as const satisfies Partial<LayerChoices>;

const fewest: readonly Feature[] = ["tools"];
