import type { Awaitable } from "../../../generated/support.ts";
import type { ClientCertificate, RequestHead } from "../../transport/http-server/exchange/exchange.ts";
import type { Guard, Identity } from "../../transport/http-server/identity.ts";
import { rejectHttp } from "../../transport/http-server/rejection.ts";

/** Options of `requireCertificate`. */
export interface CertificateOptions {
  /** Returns the identity of the holder of a certificate. `undefined` rejects it. Default: the subject of the certificate. */
  readonly toIdentity?: (certificate: ClientCertificate) => Awaitable<Identity | undefined>;
  /**
   * Returns the certificate if a proxy in front of this server ends TLS, for example from a header. In this case, only the proxy may be able to reach
   * the server, and it must remove the header from client requests. Default: the certificate of the connection.
   */
  readonly read?: (head: RequestHead) => ClientCertificate | undefined;
}

/**
 * Creates a guard for clients with a certificate trusted by the TLS layer. Listen with
 * `tls: { key, cert, ca, requestCert: true, rejectUnauthorized: false }`; then other clients get an error response with the reason.
 *
 * @example
 * ```ts
 * import { serveHttp } from "mcp-server-runtime";
 * import { requireCertificate } from "mcp-server-runtime/auth/server";
 *
 * const authenticate = requireCertificate({ toIdentity: ({ subject }) => ({ principal: subject }) });
 * await serveHttp(server, { port: 3000, authenticate });
 * ```
 */
export function requireCertificate({ toIdentity = toSubject, read = readOwn }: CertificateOptions = {}): Guard {
  return {
    async authenticate(head) {
      const certificate = read(head);
      if (!certificate) return rejectHttp(403, "A client certificate is required").response;
      return (await toIdentity(certificate)) ?? rejectHttp(403, "The client certificate is not accepted").response;
    },
  };
}

function readOwn(head: RequestHead): ClientCertificate | undefined {
  return head.certificate();
}

/** Subjects are unique only within their issuer. Neither of them contains an empty line, so the text is unambiguous. */
function toSubject({ issuer, subject }: ClientCertificate): Identity {
  return { principal: `${issuer}\n\n${subject}` };
}
