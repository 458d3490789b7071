import type { CheckResult, Rule } from "../finding.ts";
import { toResult, type Probe, type Observation } from "./probe.ts";
import { acceptedOrigin, foreignOrigin, originRule } from "./http-probes.ts";
import { SseWire, type Endpoint } from "../wires/sse-wire.ts";
import type { Wire, WireFactory } from "../wires/wire.ts";

const help = "https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility";

/** Probes of HTTP with SSE: unknown sessions and origins. */
export const sseProbes: readonly Probe[] = [
  {
    rule: {
      id: "sse-unknown-session",
      title: "A message of an unknown session is rejected",
      severity: "warning",
      help,
    },
    applies: ({ conversation: { wire } }) => strangerOf(wire) !== undefined,
    run: ({ conversation: { wire } }) => probeStranger(wire),
  },
  {
    rule: originRule,
    applies: ({ conversation: { wire } }) => wire instanceof SseWire && wire.isLoopback,
    run: async ({ conversation: { wire } }) => {
      const response = wire instanceof SseWire ? await wire.get({ origin: foreignOrigin }) : undefined;
      await response?.body?.cancel();
      return response?.ok ? [acceptedOrigin(response.status)] : [];
    },
  },
];

/** Checks that the stream names an address to post messages to. */
export async function probeEndpoint(wires: WireFactory): Promise<CheckResult[]> {
  if (wires.transport !== "sse") return [];
  const rule = {
    id: "sse-endpoint",
    title: "The endpoint of the stream is on the same server",
    severity: "error",
    help,
  } as const satisfies Rule;
  const wire = await wires.open();
  await wire.close();
  const seen = wire instanceof SseWire ? describeEndpoint(wire.endpoint) : undefined;
  return [toResult(rule, [seen])];
}

function describeEndpoint(endpoint: Endpoint): Observation | undefined {
  const subject = "the stream";
  switch (endpoint.kind) {
    case "named":
      return undefined;
    case "missing":
      return {
        subject,
        message: endpoint.problem,
        fix: 'return text/event-stream to GET, starting with "event: endpoint" whose data is the path for messages',
      };
    case "foreign":
      return {
        subject,
        message: `its endpoint is at ${endpoint.origin}, which clients reject`,
        fix: "use a path, such as /messages?sessionId=...; behind a proxy one below the path that it serves",
      };
    default:
      return endpoint satisfies never;
  }
}

/**
 * Returns the address for messages with query parameters of no session. Returns `undefined` when the address has no parameters: then they do not name
 * the session.
 */
function strangerOf(wire: Wire): URL | undefined {
  if (!(wire instanceof SseWire) || wire.endpoint.kind !== "named") return undefined;
  const url = new URL(wire.endpoint.url);
  const names = [...new Set(url.searchParams.keys())];
  // A UUID: servers that check the format of an id reject others for the format alone.
  for (const name of names) url.searchParams.set(name, "00000000-0000-4000-8000-000000000000");
  return names.length > 0 ? url : undefined;
}

async function probeStranger(wire: Wire): Promise<Observation[]> {
  const url = strangerOf(wire);
  if (!url || !(wire instanceof SseWire)) return [];
  const response = await wire.post(url, { body: '{"jsonrpc":"2.0","id":"doctor-stranger","method":"ping"}' });
  await response?.body?.cancel();
  if (!response || response.status >= 400) return [];
  const message = `the response is HTTP ${response.status}`;
  return [{ subject: "an unknown session", message, fix: "return 404, so that clients reconnect" }];
}
