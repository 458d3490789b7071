import * as runtime from "mcp-server-runtime";
import type { Declarations } from "mcp-server-runtime/2026-07-28";
import { revisions } from "mcp-server-runtime/revisions";

/*
 * What a project has in its folder src/mcp, where it is generated. The files beside this folder import the protocol from here and from the
 * package `mcp-server-runtime`, so that they are also the sources of a project.
 */

export { connectHttp, connectStdio, createUiResource, fromJsonSchema, ToolError } from "mcp-server-runtime";
export type { Schema, Server, Skill } from "mcp-server-runtime";
export type { Declarations };

/** Protocol revisions, newest first. */
export { revisions };

type Definers = runtime.RevisionDefiners<Declarations>;

export type ServerDefinition = Parameters<Definers["defineServer"]>[0];
export type ToolDefinition<I = runtime.NoArguments, O = undefined> = runtime.ToolDefinition<Declarations, I, O>;
export type ResourceDefinition = runtime.ResourceDefinition<Declarations>;
export type ResourceTemplateDefinition<T extends string = string> = runtime.ResourceTemplateDefinition<Declarations, T>;
export type PromptDefinition<A extends runtime.ArgumentFlags = runtime.NoFlags> = runtime.PromptDefinition<
  Declarations,
  A
>;

const definers: Definers = runtime.forRevisions<Declarations>(revisions);

export const defineTool: Definers["defineTool"] = definers.defineTool;
export const defineResource: Definers["defineResource"] = definers.defineResource;
export const defineResourceTemplate: Definers["defineResourceTemplate"] = definers.defineResourceTemplate;
export const definePrompt: Definers["definePrompt"] = definers.definePrompt;

/** Options of a client, which may name some of the revisions. Default: all of them. */
export type ClientOptions = Omit<runtime.ClientOptions<Declarations>, "revisions"> &
  Partial<Pick<runtime.ClientOptions<Declarations>, "revisions">>;

/** Creates a client for any number of servers. */
export function createClient(options: ClientOptions): runtime.Client<Declarations> {
  return runtime.createClient<Declarations>({ revisions, ...options });
}
