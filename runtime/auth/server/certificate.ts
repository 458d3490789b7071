import type { Awaitable } from "../../../generated/support.ts";
import type { ClientCertificate, RequestHead } from "../../transport/http-server/exchange/exchange.ts";
import type { Guard, Identity } from "../../transport/http-server/identity.ts";
import { refuse } from "../../transport/http-server/rejection.ts";

/** Which certificates let clients in. */
export interface CertificateOptions {
  /** Who holds a certificate; `undefined` refuses it. Default: whomever its subject names. */
  readonly toIdentity?: (certificate: ClientCertificate) => Awaitable<Identity | undefined>;
  /**
   * Finds the certificate where something in front of this server ends TLS, such as in a header. Nobody else may be able to reach the server
   * then, and the header has to be taken out of what clients send. Default: the certificate of the connection.
   */
  readonly read?: (head: RequestHead) => ClientCertificate | undefined;
}

/**
 * Lets in who holds the key of a certificate that the TLS layer trusts: listen with
 * `tls: { key, cert, ca, requestCert: true, rejectUnauthorized: false }`, so that others learn why they are refused.
 */
export function requireCertificate({ toIdentity = toSubject, read = readOwn }: CertificateOptions = {}): Guard {
  return {
    async authenticate(head) {
      const certificate = read(head);
      if (!certificate) return refuse(403, "A client certificate is needed").answer;
      return (await toIdentity(certificate)) ?? refuse(403, "This client certificate lets nobody in").answer;
    },
  };
}

function readOwn(head: RequestHead): ClientCertificate | undefined {
  return head.certificate();
}

/** Subjects are only unique for their issuer; neither holds an empty line. */
function toSubject({ issuer, subject }: ClientCertificate): Identity {
  return { principal: `${issuer}\n\n${subject}` };
}
