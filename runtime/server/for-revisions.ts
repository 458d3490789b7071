import type { Revision } from "../../generated/support.ts";
import type {
  ArgumentFlags,
  NoFlags,
  PromptDefinition,
  ResourceDefinition,
  ResourceTemplateDefinition,
  ServerDefinition,
  ToolDefinition,
} from "./definition.ts";
import type { FixedUri, OtherNames, PromptNames, ResourceNames, ToolNames } from "./compile-errors.ts";
import type { ProtocolTypes } from "./protocol-types.ts";
import type { NoArguments } from "./standard-schema.ts";
import { createServer, type Server } from "./create-server.ts";
import type { AnyServerDefinition } from "./any-definition.ts";
import type { UiSupport } from "./apps/tool-ui.ts";

/** Functions to create definitions with the types of one revision. */
export interface RevisionDefiners<P extends ProtocolTypes> {
  defineServer(definition: ServerDefinition<P> & AnyServerDefinition): Server;
  defineTool<I = NoArguments, O = undefined, Used extends PropertyKey = never>(
    tool: ToolDefinition<P, I, O> & UiSupport<P> & OtherNames<ToolNames, Used>,
  ): ToolDefinition<P, I, NoInfer<O>>;
  defineResource<Used extends PropertyKey = never, const U extends string = string>(
    resource: ResourceDefinition<P> & { readonly uri: FixedUri<U> } & OtherNames<ResourceNames, Used>,
  ): ResourceDefinition<P>;
  defineResourceTemplate<const T extends string, Used extends PropertyKey = never>(
    template: ResourceTemplateDefinition<P, T> & OtherNames<ResourceNames, Used>,
  ): ResourceTemplateDefinition<P, T>;
  definePrompt<const A extends ArgumentFlags = NoFlags, Used extends PropertyKey = never>(
    prompt: PromptDefinition<P, A> & OtherNames<PromptNames, Used>,
  ): PromptDefinition<P, A>;
}

/**
 * Binds the definition functions to the types of a revision, for use of this package as a library.
 *
 * @param revisions - revisions of the servers, newest first; `P` should be the declarations of the first
 * @example
 * ```ts
 * import { forRevisions, runServer } from "mcp-server-runtime";
 * import { revisions } from "mcp-server-runtime/revisions";
 *
 * const { defineServer, defineTool } = forRevisions<Declarations>(revisions);
 * const greet = defineTool({ name: "greet", execute: () => "Hello" });
 * await runServer(defineServer({ name: "demo", version: "1.0.0", tools: [greet] }));
 * ```
 */
export function forRevisions<P extends ProtocolTypes>(revisions: readonly Revision[]): RevisionDefiners<P> {
  return {
    defineServer: (definition) => createServer(definition, revisions),
    defineTool: (tool) => tool,
    defineResource: (resource) => resource,
    defineResourceTemplate: (template) => template,
    definePrompt: (prompt) => prompt,
  };
}
