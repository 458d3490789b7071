import { describeUnstable, readStages } from "../../read/stages.ts";
import type { Feature } from "../layer/choices.ts";

/** Extensions used by features. */
const extensionOf: { readonly [Name in Feature]?: string } = {
  tasks: "io.modelcontextprotocol/tasks",
  skills: "io.modelcontextprotocol/skills",
  apps: "io.modelcontextprotocol/ui",
};

/** Returns a sentence about each feature whose extension may still change incompatibly. */
export function describeUnstableFeatures(features: readonly Feature[]): readonly string[] {
  const stages = readStages();
  return features.flatMap((feature) => {
    const extension = extensionOf[feature];
    const unstable = extension === undefined ? undefined : describeUnstable(extension, stages);
    return unstable === undefined ? [] : [`the feature ${feature} uses an extension that may change: ${unstable}.`];
  });
}
