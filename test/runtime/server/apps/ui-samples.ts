/* Messages between a view and its host: those of the specification of the extension, and what the packages of its authors send. */

/** Implementation of a view or a host. */
export const appInfo = { name: "board", version: "1" };
const opening = { appInfo, appCapabilities: { availableDisplayModes: ["inline"] }, protocolVersion: "1" };
const tool = { name: "show", inputSchema: { type: "object" } };
/** Surroundings of a view with every member. */
export const context = {
  toolInfo: { id: 1, tool },
  theme: "dark",
  styles: { variables: { "--font-sans": "Sans", "--font-mono": undefined }, css: { fonts: "@font-face {}" } },
  displayMode: "pip",
  availableDisplayModes: ["inline", "pip"],
  containerDimensions: { width: 400, maxHeight: 600 },
  locale: "en-US",
  timeZone: "Europe/Vienna",
  userAgent: "host",
  platform: "web",
  deviceCapabilities: { touch: true },
  safeAreaInsets: { top: 0, right: 0, bottom: 8, left: 0 },
};

/** Messages with valid params. */
export const validMessages: readonly (readonly [method: string, params: unknown])[] = [
  ["ui/initialize", opening],
  ["ui/open-link", { url: "https://example.com" }],
  ["ui/message", { role: "user", content: { type: "text", text: "More" } }],
  ["ui/message", { role: "user", content: [{ type: "text", text: "More" }] }],
  ["ui/request-display-mode", { mode: "fullscreen" }],
  ["ui/update-model-context", { content: [{ type: "text", text: "3 open" }], structuredContent: { open: 3 } }],
  ["ui/update-model-context", {}],
  ["ui/resource-teardown", { reason: "closed" }],
  ["ui/resource-teardown", {}],
  ["ui/notifications/initialized", {}],
  ["ui/notifications/size-changed", { width: 300, height: 200.5 }],
  ["ui/notifications/size-changed", { height: 200 }],
  ["ui/notifications/sandbox-proxy-ready", {}],
  ["ui/notifications/tool-input", { arguments: { city: "Graz" } }],
  ["ui/notifications/tool-input", {}],
  ["ui/notifications/tool-input-partial", { arguments: { city: "Gr" } }],
  ["ui/notifications/tool-result", { content: [{ type: "text", text: "3 open" }], structuredContent: { open: 3 } }],
  ["ui/notifications/tool-cancelled", { reason: "stopped" }],
  ["ui/notifications/host-context-changed", context],
  ["ui/notifications/host-context-changed", {}],
  ["ui/notifications/sandbox-resource-ready", { html: "<p>", csp: { frameDomains: [] }, permissions: { camera: {} } }],
];

/** Messages with invalid params, and where they are invalid. */
export const invalidMessages: readonly (readonly [method: string, params: unknown, path: string])[] = [
  ["ui/initialize", { ...opening, protocolVersion: undefined }, "protocolVersion"],
  [
    "ui/initialize",
    { ...opening, appCapabilities: { availableDisplayModes: ["full"] } },
    "appCapabilities/availableDisplayModes/0",
  ],
  ["ui/open-link", {}, "url"],
  ["ui/message", { role: "assistant", content: [] }, "role"],
  ["ui/message", { role: "user", content: [{ type: "text" }] }, "content/0/text"],
  ["ui/request-display-mode", { mode: "wide" }, "mode"],
  ["ui/update-model-context", { structuredContent: [] }, "structuredContent"],
  ["ui/resource-teardown", { reason: 1 }, "reason"],
  ["ui/notifications/size-changed", { width: "300" }, "width"],
  ["ui/notifications/tool-input", { arguments: [] }, "arguments"],
  ["ui/notifications/tool-result", { content: "3 open" }, "content"],
  ["ui/notifications/tool-cancelled", { reason: null }, "reason"],
  ["ui/notifications/host-context-changed", { toolInfo: {} }, "toolInfo/tool"],
  ["ui/notifications/host-context-changed", { safeAreaInsets: { top: 0 } }, "safeAreaInsets/right"],
  ["ui/notifications/sandbox-resource-ready", { html: 1 }, "html"],
];
