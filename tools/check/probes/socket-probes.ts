import { own } from "../conversation.ts";
import { foreignOrigin, originRule } from "./http-probes.ts";
import type { Probe, ProbeContext, Observation } from "./probe.ts";
import { TcpWire } from "../wires/tcp-wire.ts";
import { WebSocketWire } from "../wires/websocket-wire.ts";

/** Probes of TCP. Web pages can send an HTTP request to any port of their machine, with messages in its body. */
export const tcpProbes: readonly Probe[] = [
  {
    rule: {
      id: "tcp-http-request",
      title: "HTTP requests are not read as messages",
      severity: "error",
      help: "https://developer.mozilla.org/docs/Web/HTTP/Guides/CORS#simple_requests",
    },
    applies: ({ conversation: { wire } }) => wire instanceof TcpWire && wire.isLoopback,
    run: probeHttpRequest,
  },
];

/** Probes of WebSocket: the Origin header. */
export const webSocketProbes: readonly Probe[] = [
  {
    rule: originRule,
    applies: ({ conversation: { wire } }) => wire instanceof WebSocketWire && wire.isLoopback,
    run: async ({ conversation: { wire } }) => {
      if (!(wire instanceof WebSocketWire)) return [];
      const other = await wire.reopen({ origin: foreignOrigin });
      const { isOpen } = other;
      await other.close();
      const fix = "check the Origin header of the upgrade and reject unknown origins with 403";
      return isOpen ? [{ subject: `Origin: ${foreignOrigin}`, message: "the connection is accepted", fix }] : [];
    },
  },
];

async function probeHttpRequest({ conversation: { wire }, revision }: ProbeContext): Promise<readonly Observation[]> {
  if (!(wire instanceof TcpWire)) return [];
  const id = "doctor-http";
  const method = revision.lifecycle === "handshake" ? "initialize" : "server/discover";
  const params = { protocolVersion: revision.id, capabilities: own.capabilities, clientInfo: own.info };
  const other = wire.reopen();
  await other.sendText(
    ["POST / HTTP/1.1", "Host: 127.0.0.1", `Origin: ${foreignOrigin}`, "Content-Type: text/plain", ""].join("\r\n"),
  );
  const { response } = await other.exchange({ jsonrpc: "2.0", id, method, params }, { id, signal: briefly() });
  await other.close();
  if (response === undefined) return [];
  const fix = "close the connection when its first line is not JSON";
  return [{ subject: "POST / HTTP/1.1", message: "the message in the body of the request got a response", fix }];
}

/** Aborts after 2 seconds: a server that ignores the request never responds. */
function briefly(): AbortSignal {
  return AbortSignal.timeout(2_000);
}
