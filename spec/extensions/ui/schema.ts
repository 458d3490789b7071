/**
 * The apps extension, `io.modelcontextprotocol/ui`: the settings and metadata of servers and clients, and the messages between a view and the
 * host that shows it. Names and shapes are those of its specification, the comments are our own. Where the packages of its authors send less
 * than the text requires, or a list instead of one value, the shapes accept both.
 */
import type {
  CallToolResult,
  ContentBlock,
  Implementation,
  JSONRPCNotification,
  JSONRPCRequest,
  RequestId,
  TextContent,
  Tool,
} from "../../2026-07-28/schema.ts";

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

/**
 * Place of a view: within the conversation, in the whole window, or in a window of its own above the others.
 *
 * @category `ui/request-display-mode`
 */
export type UiDisplayMode = "inline" | "fullscreen" | "pip";

/**
 * Result of requests of which only the success matters.
 *
 * @category `ui`
 */
export interface UiEmptyResult {
  [key: string]: unknown;
}

/**
 * What lists of a host or a view can do.
 *
 * @category `ui/initialize`
 */
export interface UiListCapability {
  /**
   * Whether changes of the list are sent as notifications.
   */
  listChanged?: boolean;
}

/**
 * What a view can do.
 *
 * @category `ui/initialize`
 */
export interface UiAppCapabilities {
  experimental?: UiExperimentalCapabilities;

  /**
   * Tools of the view itself, which its host may call.
   */
  tools?: UiListCapability;

  /**
   * Modes that the view can be shown in. Default: any.
   */
  availableDisplayModes?: UiDisplayMode[];
}

/**
 * What a host can do for a view.
 *
 * @category `ui/initialize`
 */
export interface UiHostCapabilities {
  experimental?: UiExperimentalCapabilities;

  /**
   * `ui/open-link` is understood.
   */
  openLinks?: UiOfferedCapability;

  /**
   * Tools of the server can be called.
   */
  serverTools?: UiListCapability;

  /**
   * Resources of the server can be read.
   */
  serverResources?: UiListCapability;

  /**
   * Log messages are accepted.
   */
  logging?: UiOfferedCapability;

  /**
   * Permissions and origins that the view has.
   */
  sandbox?: {
    permissions?: UiResourcePermissions;
    csp?: UiResourceCsp;
  };
}

/**
 * A capability without settings.
 *
 * @category `ui/initialize`
 */
export interface UiOfferedCapability {}

/**
 * Capabilities that are not specified.
 *
 * @category `ui/initialize`
 */
export interface UiExperimentalCapabilities {
  [name: string]: unknown;
}

/**
 * Names of the CSS variables with a specified meaning.
 *
 * @category `ui/initialize`
 */
export type UiStyleVariableKey =
  | "--color-background-primary"
  | "--color-background-secondary"
  | "--color-background-tertiary"
  | "--color-background-inverse"
  | "--color-background-ghost"
  | "--color-background-info"
  | "--color-background-danger"
  | "--color-background-success"
  | "--color-background-warning"
  | "--color-background-disabled"
  | "--color-text-primary"
  | "--color-text-secondary"
  | "--color-text-tertiary"
  | "--color-text-inverse"
  | "--color-text-info"
  | "--color-text-danger"
  | "--color-text-success"
  | "--color-text-warning"
  | "--color-text-disabled"
  | "--color-text-ghost"
  | "--color-border-primary"
  | "--color-border-secondary"
  | "--color-border-tertiary"
  | "--color-border-inverse"
  | "--color-border-ghost"
  | "--color-border-info"
  | "--color-border-danger"
  | "--color-border-success"
  | "--color-border-warning"
  | "--color-border-disabled"
  | "--color-ring-primary"
  | "--color-ring-secondary"
  | "--color-ring-inverse"
  | "--color-ring-info"
  | "--color-ring-danger"
  | "--color-ring-success"
  | "--color-ring-warning"
  | "--font-sans"
  | "--font-mono"
  | "--font-weight-normal"
  | "--font-weight-medium"
  | "--font-weight-semibold"
  | "--font-weight-bold"
  | "--font-text-xs-size"
  | "--font-text-sm-size"
  | "--font-text-md-size"
  | "--font-text-lg-size"
  | "--font-heading-xs-size"
  | "--font-heading-sm-size"
  | "--font-heading-md-size"
  | "--font-heading-lg-size"
  | "--font-heading-xl-size"
  | "--font-heading-2xl-size"
  | "--font-heading-3xl-size"
  | "--font-text-xs-line-height"
  | "--font-text-sm-line-height"
  | "--font-text-md-line-height"
  | "--font-text-lg-line-height"
  | "--font-heading-xs-line-height"
  | "--font-heading-sm-line-height"
  | "--font-heading-md-line-height"
  | "--font-heading-lg-line-height"
  | "--font-heading-xl-line-height"
  | "--font-heading-2xl-line-height"
  | "--font-heading-3xl-line-height"
  | "--border-radius-xs"
  | "--border-radius-sm"
  | "--border-radius-md"
  | "--border-radius-lg"
  | "--border-radius-xl"
  | "--border-radius-full"
  | "--border-width-regular"
  | "--shadow-hairline"
  | "--shadow-sm"
  | "--shadow-md"
  | "--shadow-lg";

/**
 * Space for a view, in pixels. A length is fixed, or has a maximum, or the view decides.
 *
 * @category `ui/initialize`
 */
export interface UiContainerDimensions {
  height?: number;
  maxHeight?: number;
  width?: number;
  maxWidth?: number;
}

/**
 * Surroundings of a view. All of them are optional.
 *
 * @category `ui/initialize`
 */
export interface UiHostContext {
  /**
   * The call of a tool that the view was opened for.
   */
  toolInfo?: {
    /**
     * The id of the request.
     */
    id?: RequestId;
    tool: Tool;
  };

  theme?: "light" | "dark";

  styles?: {
    /**
     * Texts by the name of their CSS variable, such as one of `UiStyleVariableKey`. Messages of windows may have `undefined` in place of a text.
     */
    variables?: { [variable: string]: unknown };

    css?: {
      /**
       * `@font-face` or `@import` rules.
       */
      fonts?: string;
    };
  };

  /**
   * How the view is shown now.
   */
  displayMode?: UiDisplayMode;

  /**
   * Modes that the host has.
   */
  availableDisplayModes?: string[];

  containerDimensions?: UiContainerDimensions;

  /**
   * A tag of BCP 47, such as `en-US`.
   */
  locale?: string;

  /**
   * A name of the IANA database, such as `America/New_York`.
   */
  timeZone?: string;

  /**
   * The application that shows the view.
   */
  userAgent?: string;

  platform?: "web" | "desktop" | "mobile";

  deviceCapabilities?: {
    touch?: boolean;
    hover?: boolean;
  };

  /**
   * Width of each edge that may be covered, in pixels.
   */
  safeAreaInsets?: {
    top: number;
    right: number;
    bottom: number;
    left: number;
  };
}

/**
 * The first request of a view.
 *
 * @category `ui/initialize`
 */
export interface UiInitializeRequest extends JSONRPCRequest {
  method: "ui/initialize";
  params: {
    appInfo: Implementation;
    appCapabilities: UiAppCapabilities;

    /**
     * The revision of this extension that the view is written for.
     */
    protocolVersion: string;
  };
}

/**
 * The host, and the surroundings of the view.
 *
 * @category `ui/initialize`
 */
export interface UiInitializeResult {
  /**
   * The revision that the host speaks.
   */
  protocolVersion: string;
  hostInfo: Implementation;
  hostCapabilities: UiHostCapabilities;
  hostContext?: UiHostContext;
  [key: string]: unknown;
}

/**
 * The end of the handshake. Before it, a host only responds to `ui/initialize`.
 *
 * @category `ui/notifications/initialized`
 */
export interface UiInitializedNotification extends JSONRPCNotification {
  method: "ui/notifications/initialized";
}

/**
 * Opens an address outside of the view, if the host permits it.
 *
 * @category `ui/open-link`
 */
export interface UiOpenLinkRequest extends JSONRPCRequest {
  method: "ui/open-link";
  params: {
    url: string;
  };
}

/**
 * Adds a message of the user to the conversation, which goes on with it.
 *
 * @category `ui/message`
 */
export interface UiMessageRequest extends JSONRPCRequest {
  method: "ui/message";
  params: {
    role: "user";

    /**
     * One text. The packages of the authors send a list of content blocks.
     */
    content: TextContent | ContentBlock[];
  };
}

/**
 * Requests another display mode.
 *
 * @category `ui/request-display-mode`
 */
export interface UiRequestDisplayModeRequest extends JSONRPCRequest {
  method: "ui/request-display-mode";
  params: {
    mode: UiDisplayMode;
  };
}

/**
 * The mode after the request, which may be the one before.
 *
 * @category `ui/request-display-mode`
 */
export interface UiRequestDisplayModeResult {
  mode: UiDisplayMode;
  [key: string]: unknown;
}

/**
 * Context for later turns of the model. It replaces the context that the view has sent before.
 *
 * @category `ui/update-model-context`
 */
export interface UiUpdateModelContextRequest extends JSONRPCRequest {
  method: "ui/update-model-context";
  params: {
    content?: ContentBlock[];
    structuredContent?: { [key: string]: unknown };
  };
}

/**
 * Announces the removal of the view. The host waits for the response, so that nothing is lost.
 *
 * @category `ui/resource-teardown`
 */
export interface UiResourceTeardownRequest extends JSONRPCRequest {
  method: "ui/resource-teardown";
  params: {
    reason?: string;
  };
}

/**
 * The arguments of the call. Sent once, before its result.
 *
 * @category `ui/notifications/tool-input`
 */
export interface UiToolInputNotification extends JSONRPCNotification {
  method: "ui/notifications/tool-input";
  params: {
    arguments?: { [key: string]: unknown };
  };
}

/**
 * The arguments as far as the model has written them. Members may be missing or incomplete.
 *
 * @category `ui/notifications/tool-input-partial`
 */
export interface UiToolInputPartialNotification extends JSONRPCNotification {
  method: "ui/notifications/tool-input-partial";
  params: {
    arguments?: { [key: string]: unknown };
  };
}

/**
 * A result as the server has sent it.
 *
 * @category `ui/notifications/tool-result`
 */
export interface UiToolResultParams extends CallToolResult {}

/**
 * The result of the call.
 *
 * @category `ui/notifications/tool-result`
 */
export interface UiToolResultNotification extends JSONRPCNotification {
  method: "ui/notifications/tool-result";
  params: UiToolResultParams;
}

/**
 * The end of a call that was cancelled.
 *
 * @category `ui/notifications/tool-cancelled`
 */
export interface UiToolCancelledNotification extends JSONRPCNotification {
  method: "ui/notifications/tool-cancelled";
  params: {
    reason?: string;
  };
}

/**
 * Surroundings of the view that have changed. The others are as before.
 *
 * @category `ui/notifications/host-context-changed`
 */
export interface UiHostContextChangedNotification extends JSONRPCNotification {
  method: "ui/notifications/host-context-changed";
  params: UiHostContext;
}

/**
 * The size of the content of the view, in pixels.
 *
 * @category `ui/notifications/size-changed`
 */
export interface UiSizeChangedNotification extends JSONRPCNotification {
  method: "ui/notifications/size-changed";
  params: {
    width?: number;
    height?: number;
  };
}

/**
 * The frame between a host and a view is ready. It has an origin of its own.
 *
 * @category `ui/notifications/sandbox-proxy-ready`
 */
export interface UiSandboxProxyReadyNotification extends JSONRPCNotification {
  method: "ui/notifications/sandbox-proxy-ready";
  params: UiEmptyParams;
}

/**
 * Params without members.
 *
 * @category `ui`
 */
export interface UiEmptyParams {}

/**
 * The view that the frame loads.
 *
 * @category `ui/notifications/sandbox-resource-ready`
 */
export interface UiSandboxResourceReadyNotification extends JSONRPCNotification {
  method: "ui/notifications/sandbox-resource-ready";
  params: {
    html: string;

    /**
     * The attribute `sandbox` of the inner frame.
     */
    sandbox?: string;
    csp?: UiResourceCsp;
    permissions?: UiResourcePermissions;
  };
}
