import type { Revision } from "../../../generated/support.ts";
import { HttpWire } from "../wires/http-wire.ts";
import type { Probe, Observation } from "./probe.ts";
import { openSse } from "../wires/sse-wire.ts";

/** Probes of a Streamable HTTP server at revisions that use HTTP with SSE. */
export const olderProbes: readonly Probe[] = [
  {
    rule: {
      id: "sse-served",
      title: "Clients that support only HTTP with SSE can connect",
      severity: "warning",
      help: "https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility",
    },
    applies: ({ conversation: { wire }, revision }) => wire instanceof HttpWire && isOverSse(revision),
    run: ({ conversation: { wire } }) => (wire instanceof HttpWire ? probeStreams(wire) : []),
  },
];

/** True if the transport of a revision over HTTP is HTTP with SSE: it has sessions, but no header for them. */
function isOverSse({ headers, lifecycle }: Revision): boolean {
  return lifecycle === "handshake" && !headers.some(({ source }) => source === "session");
}

/** Tries the address itself, and the usual one beside it or at the root. */
async function probeStreams({ options }: HttpWire): Promise<readonly Observation[]> {
  const places = [...new Set(["", "sse", "/sse"].map((path) => new URL(path, options.url).href))];
  const timeout = Math.min(options.timeout, streamTime);
  const found = await Promise.all(
    places.map(async (place) => {
      const wire = await openSse({ ...options, url: new URL(place), timeout });
      await wire.close();
      return wire.endpoint.kind === "named";
    }),
  );
  if (found.includes(true)) return [];
  return [
    {
      subject: "HTTP with SSE",
      message: `no stream with an endpoint event at this address, nor at ${places.slice(1).join(" or ")}`,
      fix: "serve HTTP with SSE at /sse as well, or do not negotiate this revision over HTTP",
    },
  ];
}

/** Milliseconds to wait for an endpoint, at an address that may not have a stream. Servers with a stream name the endpoint immediately. */
const streamTime = 5_000;
