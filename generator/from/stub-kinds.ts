import type { ProjectSource } from "./source.ts";

/** Kinds of definitions of a source that become part of a project in addition to its tools. */
export interface StubKinds {
  readonly prompts: boolean;
  readonly resources: boolean;
  readonly templates: boolean;
}

/** Returns the kinds that a source has and a project offers. */
export function stubKinds(source: ProjectSource | undefined, offers: ReadonlySet<string>): StubKinds {
  const { prompts = [], resources = [], resourceTemplates = [] } = source?.contract ?? {};
  return {
    prompts: offers.has("prompts") && prompts.length > 0,
    resources: offers.has("resources") && resources.length > 0,
    templates: offers.has("resources") && resourceTemplates.length > 0,
  };
}
