import { HttpWire } from "../wires/http-wire.ts";
import { Conversation, own } from "../conversation.ts";
import type { Rule } from "../finding.ts";
import type { Probe, ProbeContext, Observation } from "./probe.ts";

const help = "https://modelcontextprotocol.io/specification/2025-11-25/basic/transports";

/** Rule against requests of web pages from other sites. */
export const originRule: Rule = {
  id: "http-origin",
  title: "A server on this machine rejects requests of other origins",
  severity: "error",
  help: `${help}#security-warning`,
};

/** Probes of Streamable HTTP: GET, notifications, sessions, revisions, origins. */
export const httpProbes: readonly Probe[] = [
  {
    rule: { id: "http-get", title: "GET opens a stream or is rejected with 405", severity: "error", help },
    applies: isSession,
    run: withHttp(async (wire) => {
      const response = await wire.fetch("GET", { ...wire.session, accept: "text/event-stream" });
      await response?.body?.cancel();
      const type = response?.headers.get("content-type") ?? "";
      if (!response || response.status === 405 || (response.ok && type.startsWith("text/event-stream"))) return [];
      return [
        {
          subject: "GET",
          message: `the response is HTTP ${response.status} with ${type || "no content type"}`,
          fix: "return text/event-stream, or 405",
        },
      ];
    }),
  },
  {
    rule: { id: "http-notification", title: "A notification is accepted with 202", severity: "error", help },
    applies: ({ conversation }) => conversation.wire instanceof HttpWire,
    run: async ({ conversation }) => {
      const { status } = await conversation.notify("notifications/doctor/unknown");
      return status === 202
        ? []
        : [
            {
              subject: "a notification",
              message: status === undefined ? "there is no response" : `the response is HTTP ${status}`,
              fix: "return 202 and no body",
            },
          ];
    },
  },
  {
    rule: {
      id: "http-unknown-session",
      title: "An unknown session is rejected with 404",
      severity: "error",
      help,
    },
    applies: (context) => isSession(context) && hasSessionId(context),
    run: withHttp((wire) =>
      expectStatus(
        wire,
        { "mcp-session-id": "doctor-no-such-session" },
        { expected: [404], subject: "an unknown session", fix: "return 404, so that clients open a new session" },
      ),
    ),
  },
  {
    rule: {
      id: "http-missing-session",
      title: "A request without its session is rejected with 400",
      severity: "warning",
      help,
    },
    applies: (context) => isSession(context) && hasSessionId(context),
    run: withHttp((wire) =>
      expectStatus(
        wire,
        { "mcp-session-id": "" },
        { expected: [400], subject: "a request without Mcp-Session-Id", fix: "return 400" },
      ),
    ),
  },
  {
    rule: {
      id: "http-unknown-revision",
      title: "An unsupported revision is rejected with 400",
      severity: "error",
      help,
    },
    applies: (context) => isSession(context) && context.revision.headers.some(({ source }) => source === "revision"),
    run: withHttp((wire) =>
      expectStatus(
        wire,
        { "mcp-protocol-version": "1999-01-01" },
        { expected: [400], subject: "MCP-Protocol-Version: 1999-01-01", fix: "check the header and return 400" },
      ),
    ),
  },
  {
    rule: originRule,
    applies: ({ conversation }) => conversation.wire instanceof HttpWire,
    run: probeOrigin,
  },
];

function isSession({ conversation, revision }: ProbeContext): boolean {
  return conversation.wire instanceof HttpWire && revision.lifecycle === "handshake";
}

function hasSessionId({ conversation: { wire } }: ProbeContext): boolean {
  return wire instanceof HttpWire && wire.session["mcp-session-id"] !== undefined;
}

function withHttp(run: (wire: HttpWire) => Promise<readonly Observation[]>): Probe["run"] {
  return ({ conversation: { wire } }) => (wire instanceof HttpWire ? run(wire) : []);
}

async function expectStatus(
  wire: HttpWire,
  headers: Readonly<Record<string, string>>,
  { expected, subject, fix }: { readonly expected: readonly number[]; readonly subject: string; readonly fix: string },
): Promise<Observation[]> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: "doctor-status", method: "ping" });
  const base = { "content-type": "application/json", accept: "application/json, text/event-stream", ...wire.session };
  const response = await wire.fetch("POST", { ...base, ...headers }, { body });
  await response?.body?.cancel();
  if (!response || expected.includes(response.status)) return [];
  return [{ subject, message: `the response is HTTP ${response.status}`, fix }];
}

/** Checks the Origin header, only for servers on this machine: they must guard against DNS rebinding. Other servers may accept any origin. */
async function probeOrigin({ conversation: { wire, revision } }: ProbeContext): Promise<Observation[]> {
  if (!(wire instanceof HttpWire) || !wire.isLoopback) return [];
  const isHandshake = revision.lifecycle === "handshake";
  const params = { protocolVersion: revision.id, capabilities: own.capabilities, clientInfo: own.info };
  // A request that is valid apart from its origin: a server may reject others for their headers or metadata.
  const other = new HttpWire(wire.options);
  const { exchange } = await new Conversation(other, revision).ask(
    isHandshake ? "initialize" : "server/discover",
    isHandshake ? params : {},
    { checks: false, headers: { origin: foreignOrigin } },
  );
  await other.close();
  const { status = 0 } = exchange;
  return status >= 200 && status < 300 ? [acceptedOrigin(status)] : [];
}

/** Origin of a forged request. */
export const foreignOrigin = "https://evil.example";

/** Creates a finding about a server that accepted a request of this origin. */
export function acceptedOrigin(status: number): Observation {
  const fix = "check the Origin header and reject unknown origins with 403";
  return { subject: `Origin: ${foreignOrigin}`, message: `the response is HTTP ${status}`, fix };
}
