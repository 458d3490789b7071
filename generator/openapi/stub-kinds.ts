import type { ProjectSource } from "./source.ts";

/** Kinds of definitions of a source that become part of a project in addition to its tools. */
export interface StubKinds {
  readonly prompts: boolean;
  readonly resources: boolean;
  readonly templates: boolean;
}

/** Returns the kinds that a source has and a project features. */
export function stubKinds(source: ProjectSource | undefined, features: ReadonlySet<string>): StubKinds {
  const { prompts = [], resources = [], resourceTemplates = [] } = source?.contract ?? {};
  return {
    prompts: features.has("prompts") && prompts.length > 0,
    resources: features.has("resources") && resources.length > 0,
    templates: features.has("resources") && resourceTemplates.length > 0,
  };
}
