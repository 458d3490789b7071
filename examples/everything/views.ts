import type { UiResource } from "mcp-server-runtime";
import { createUiResource, defineTool, type ToolDefinition } from "./mcp/index.ts";

/** View with the time of a call. It requests the result of the tool from its client, and connects to nothing else. */
export const clock: UiResource = createUiResource({
  uri: "ui://everything/clock",
  name: "clock",
  description: "Shows the time of the last call.",
  prefersBorder: true,
  html: `<!doctype html>
<title>Clock</title>
<p id="time">No time yet.</p>
<script>
  const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  addEventListener("message", ({ source, data }) => {
    if (source !== parent) return;
    if (data.id === 1) send({ method: "ui/notifications/initialized", params: {} });
    if (data.method === "ui/notifications/tool-result") {
      document.getElementById("time").textContent = data.params.content[0].text;
    }
  });
  const appInfo = { name: "clock", version: "1.0.0" };
  send({ id: 1, method: "ui/initialize", params: { protocolVersion: "2026-01-26", appInfo, appCapabilities: {} } });
</script>`,
});

/** Tools with a view; other clients read their text. */
export const views: readonly ToolDefinition[] = [
  defineTool({
    name: "show_time",
    description: "Returns the current time.",
    ui: { resourceUri: "ui://everything/clock" },
    execute: () => `It is ${new Date().toISOString()}.`,
  }),
  defineTool({
    name: "refresh_time",
    description: "Returns the current time to the view.",
    ui: { resourceUri: "ui://everything/clock", visibility: ["app"] },
    execute: () => `It is ${new Date().toISOString()}.`,
  }),
];
