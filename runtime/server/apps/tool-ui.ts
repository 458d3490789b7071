import type { MissingMember, Unavailable } from "../../protocol/revision/missing.ts";
import type { ToolTypes } from "../protocol-types.ts";

/** The `ui` member of tool definitions. It is unavailable at revisions whose tools have no `_meta`. */
export type UiSupport<P extends ToolTypes> = [MissingMember<P, "Tool", "_meta">] extends [never]
  ? {
      /**
       * View of the results for clients with support for views, and the callers the tool permits. Other clients see the tool without its view. A tool
       * for views only is hidden from them. The content must be complete without the view. Default: no view.
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
  /** Resource with the view: one of this server, created by `createUiResource`. */
  readonly resourceUri?: `ui://${string}`;
  /** Permitted callers: the model, views of this server, or both. Default: both. */
  readonly visibility?: readonly ("model" | "app")[];
}
