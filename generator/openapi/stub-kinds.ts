import type { ProjectSource } from "./source.ts";

/** Kinds of definitions of a source, besides tools, for the project. */
export interface StubKinds {
  readonly prompts: boolean;
  readonly resources: boolean;
  readonly templates: boolean;
}

/** Returns the kinds a source has and a project features. */
export function stubKinds(source: ProjectSource | undefined, features: ReadonlySet<string>): StubKinds {
  const { prompts = [], resources = [], resourceTemplates = [] } = source?.contract ?? {};
  return {
    prompts: features.has("prompts") && prompts.length > 0,
    resources: features.has("resources") && resources.length > 0,
    templates: features.has("resources") && resourceTemplates.length > 0,
  };
}
