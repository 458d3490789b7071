/** Spans and durations of messages by the semantic conventions of OpenTelemetry for MCP. */
export { openTelemetry } from "./telemetry.ts";
export type { OpenTelemetryOptions } from "./recorder.ts";
