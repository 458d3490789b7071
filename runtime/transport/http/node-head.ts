import type { IncomingMessage } from "node:http";
import { readCertificate } from "./certificate.ts";
import type { ClientCertificate, RequestHead } from "./exchange.ts";

/** What `node:http` knows of a request before its body. */
export class NodeHead implements RequestHead {
  readonly method: string;
  readonly path: string;
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage) {
    const { method = "", url = "/" } = request;
    const end = url.indexOf("?");
    const target = end === -1 ? url : url.slice(0, end);
    this.method = method;
    this.path = target.startsWith("/") ? target : (toUrl(url)?.pathname ?? target);
    this.#request = request;
  }

  get host(): string | undefined {
    const { headers, url = "/" } = this.#request;
    if (this.isRepeated("host")) return undefined;
    // Proxies are asked for whole URLs: then both have to name the same host.
    return url.startsWith("/") || toUrl(url)?.host === headers.host ? headers.host : undefined;
  }

  get address(): string | undefined {
    return this.#request.socket.remoteAddress;
  }

  isRepeated(name: string): boolean {
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
    if (!this.#request.url?.includes("?")) return undefined;
    return toUrl(this.#request.url ?? "/")?.searchParams.get(name) ?? undefined;
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }
}

function toUrl(target: string): URL | undefined {
  const base = "http://localhost";
  return URL.canParse(target, base) ? new URL(target, base) : undefined;
}
