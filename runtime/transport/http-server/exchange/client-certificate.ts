import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { toBase64Url } from "../../../framing/base64.ts";
import type { ClientCertificate } from "./exchange.ts";

/** Returns the certificate presented by a client, if the TLS layer trusts it. */
export function readCertificate(socket: Socket): ClientCertificate | undefined {
  if (!isSecure(socket) || !socket.authorized) return undefined;
  const shown = socket.getPeerX509Certificate();
  if (!shown) return undefined;
  const { subject, issuer, fingerprint256 } = shown;
  const bytes = fingerprint256.split(":").map((pair) => Number.parseInt(pair, 16));
  return { subject, issuer, thumbprint: toBase64Url(Uint8Array.from(bytes)) };
}

function isSecure(socket: Socket): socket is TLSSocket {
  return "encrypted" in socket && socket.encrypted === true;
}
