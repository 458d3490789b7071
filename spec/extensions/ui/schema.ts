/**
 * The apps extension, `io.modelcontextprotocol/ui`, as far as servers and clients speak of it to each other: settings and metadata. Names and
 * shapes are those of its specification, the comments are our own. What a view and its host say to each other is not part of it.
 */

/**
 * What a client declares.
 *
 * @category `ui`
 */
export interface UiExtensionCapability {
  /**
   * Kinds of views that it can show; `text/html;profile=mcp-app` is the only one so far.
   */
  mimeTypes: string[];
}

/**
 * What a server declares, if it declares it at all: nothing is negotiated by it.
 *
 * @category `ui`
 */
export interface UiServerCapability {
  [setting: string]: unknown;
}

/**
 * Who may use a tool: the model, or views of the same server.
 *
 * @category `ui`
 */
export type UiToolVisibility = "model" | "app";

/**
 * `_meta.ui` of a tool.
 *
 * @category `ui`
 */
export interface UiToolMeta {
  /**
   * The view that shows the results of the tool: a resource of the same server under `ui://`.
   *
   * @format uri
   */
  resourceUri?: string;

  /**
   * Default: both.
   */
  visibility?: UiToolVisibility[];
}

/**
 * Other origins that a view needs. What is not named here it cannot reach.
 *
 * @category `ui`
 */
export interface UiResourceCsp {
  /**
   * Where it may send requests and open sockets (`connect-src`). Default: nowhere.
   */
  connectDomains?: string[];

  /**
   * Where scripts, styles, images, fonts and media may come from; `https://*.example.com` allows what is below. Default: the view itself.
   */
  resourceDomains?: string[];

  /**
   * What may be shown in frames of it (`frame-src`). Default: nothing.
   */
  frameDomains?: string[];

  /**
   * What its base may be (`base-uri`). Default: itself.
   */
  baseUriDomains?: string[];
}

/**
 * A permission that is asked for; nothing can be said about it yet.
 *
 * @category `ui`
 */
export interface UiPermission {}

/**
 * What the browser shall allow a view. Hosts may refuse.
 *
 * @category `ui`
 */
export interface UiResourcePermissions {
  camera?: UiPermission;
  microphone?: UiPermission;
  geolocation?: UiPermission;
  clipboardWrite?: UiPermission;
}

/**
 * `_meta.ui` of a view, in lists and with its content. The one with the content wins.
 *
 * @category `ui`
 */
export interface UiResourceMeta {
  csp?: UiResourceCsp;
  permissions?: UiResourcePermissions;

  /**
   * An origin of its own, in the form that the host documents. Default: one that the host chooses.
   */
  domain?: string;

  /**
   * Whether the host draws a border and a background. Default: the host decides.
   */
  prefersBorder?: boolean;
}
