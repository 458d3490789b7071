/** Tools, prompts and resources of a server, as the server listed them: the data for clients, comparisons and checks. */
export interface Contract {
  readonly server: { readonly name: string; readonly version: string };
  /** Revision of the connection; empty when it is not known, as in a bare list of tools. */
  readonly revision: string;
  /** Paths of the declared capabilities, such as `tools.listChanged`; absent when they are not known, as in a bare list of tools. */
  readonly capabilities?: readonly string[];
  readonly tools: readonly ToolEntry[];
  readonly prompts: readonly PromptEntry[];
  readonly resources: readonly ResourceEntry[];
  readonly resourceTemplates: readonly ResourceTemplateEntry[];
}

/** A tool. Its schemas are untrusted. */
export interface ToolEntry {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** A prompt with its arguments. */
export interface PromptEntry {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly PromptArgument[];
}

/** An argument of a prompt; its value is text. */
export interface PromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required: boolean;
}

/** A resource with a fixed URI. */
export interface ResourceEntry {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** Resources whose URIs follow a template. */
export interface ResourceTemplateEntry {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}
