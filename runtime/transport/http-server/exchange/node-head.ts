import type { IncomingMessage } from "node:http";
import type { ClientCertificate, RequestHead } from "./exchange.ts";
import { parseUrl } from "../../../internal/parse-url.ts";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { toBase64Url } from "../../../framing/base64.ts";

/** Head of a `node:http` request, before its body. */
export class NodeHead implements RequestHead {
  readonly method: string;
  readonly path: string;
  readonly address: string | undefined;
  readonly #request: IncomingMessage;
  readonly #url: string;

  constructor(request: IncomingMessage) {
    const { method = "", url = "/" } = request;
    const end = url.indexOf("?");
    const target = end === -1 ? url : url.slice(0, end);
    this.method = method;
    // A socket forgets the address when it is destroyed.
    this.address = request.socket.remoteAddress;
    this.path = target.startsWith("/") ? target : (toUrl(url)?.pathname ?? target);
    this.#request = request;
    this.#url = url;
  }

  get host(): string | undefined {
    const { host } = this.#request.headers;
    if (this.isRepeated("host")) return undefined;
    // Requests to proxies have absolute URLs: the URL and the `Host` line have to name the same host.
    return this.#url.startsWith("/") || toUrl(this.#url)?.host === host ? host : undefined;
  }

  get hosts(): readonly string[] {
    const { host } = this;
    return host === undefined ? [] : [host];
  }

  get isCut(): boolean {
    return this.#request.rawHeaders.length >= keptByNode;
  }

  get port(): number | undefined {
    return this.#request.socket.remotePort;
  }

  get version(): string {
    return this.#request.httpVersion;
  }

  isRepeated(name: string): boolean {
    // A middleware may have added names to `headers`, so that their number says nothing.
    const { rawHeaders } = this.#request;
    let lines = 0;
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const line = rawHeaders[index];
      if (line?.length === name.length && line.toLowerCase() === name) lines += 1;
    }
    return lines > 1;
  }

  certificate(): ClientCertificate | undefined {
    return readCertificate(this.#request.socket);
  }

  query(name: string): string | undefined {
    if (!this.#url.includes("?")) return undefined;
    return toUrl(this.#url)?.searchParams.get(name) ?? undefined;
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }
}

/** Number of names and values Node keeps of a request by default. It drops further lines without an error. */
const keptByNode = 2_000;

/** True for a body in chunks. Each of them may have one byte, and takes far more memory than its content until it is read. */
export function isChunked({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined;
}

function toUrl(target: string): URL | undefined {
  const base = "http://localhost";
  return parseUrl(target, base);
}

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
