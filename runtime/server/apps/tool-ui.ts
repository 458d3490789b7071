import type { MissingMember, Unavailable } from "../../protocol/missing.ts";
import type { ToolTypes } from "../protocol-types.ts";

/** Whether tools can have views: where a revision has no metadata of tools they cannot. */
export type UiSupport<P extends ToolTypes> = [MissingMember<P, "Tool", "_meta">] extends [never]
  ? {
      /**
       * How clients that have views show the results, and who may call the tool. Other clients see it without that, or not at all if it is
       * for views only: its content says everything. Default: nothing but content.
       */
      readonly ui?: ToolUi;
    }
  : { readonly ui?: Unavailable<MissingMember<P, "Tool", "_meta">> & ToolUi };

/**
 * The view of a tool: `_meta.ui`.
 *
 * @see https://github.com/modelcontextprotocol/ext-apps
 */
export interface ToolUi {
  /** The resource that shows its results: one of this server, made by `createUiResource`. */
  readonly resourceUri?: `ui://${string}`;
  /** Who may call it: the model, views of this server, or both. Default: both. */
  readonly visibility?: readonly ("model" | "app")[];
}
