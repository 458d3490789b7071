import type { Revision } from "../../../generated/support.ts";
import type { Telemetry } from "../../protocol/session/telemetry.ts";
import { KnownMethods } from "./known-methods.ts";
import { observeConnection } from "./observe-connection.ts";
import { Recorder, type OpenTelemetryOptions } from "./recorder.ts";

export type { OpenTelemetryOptions } from "./recorder.ts";

/**
 * Creates the option `telemetry` of servers, clients and gateways. It records a span and a duration for each request and notification, on both sides
 * and in both directions, with the names of the semantic conventions for MCP. Trace context travels in `_meta`. Spans of servers continue the trace
 * of the client, and are linked to the active span, such as the span of an HTTP request. Nothing is sent anywhere unless an SDK is registered in the
 * process.
 *
 * Arguments and results are not recorded by default. Text of the peer is redacted and shortened. Unknown methods, tools and prompts are `_OTHER`.
 *
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
 * @example
 * ```ts
 * import { runServer } from "mcp-server-runtime";
 * import { openTelemetry } from "mcp-server-runtime/adapters/open-telemetry";
 *
 * await runServer(server, { telemetry: openTelemetry() });
 * ```
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Telemetry {
  const recorder = new Recorder(options);
  const known = new WeakMap<readonly Revision[], KnownMethods>();
  return {
    observe(channel, facts) {
      const methods = known.get(facts.revisions) ?? new KnownMethods(facts.revisions);
      known.set(facts.revisions, methods);
      return observeConnection(channel, { recorder, methods, facts });
    },
    ...(options.close && { close: options.close }),
  };
}
