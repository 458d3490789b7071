import type { IncomingMessage, ServerResponse } from "node:http";
import { deliverReport, type OnError } from "../../jsonrpc/error-report.ts";
import { toError } from "../../jsonrpc/errors.ts";

/** Page with the figures of a process. */
export interface MetricsPage {
  /** Path of the page: `/metrics`. */
  readonly path: string;
  readonly contentType: string;
  /** Returns the text of the page. An error is reported, and is a response with 500. */
  read(): string;
}

/** Responds to a request for a page with figures. */
export function respondWithPage(
  { method }: IncomingMessage,
  response: ServerResponse,
  { metricsPage, onError }: { readonly metricsPage: MetricsPage; readonly onError: OnError | undefined },
): void {
  if (method !== "GET" && method !== "HEAD") return void response.writeHead(405, { allow: "GET, HEAD" }).end();
  try {
    const text = metricsPage.read();
    response.writeHead(200, { "content-type": metricsPage.contentType, "cache-control": "no-store" });
    response.end(method === "GET" ? text : undefined);
  } catch (thrown) {
    deliverReport({ kind: "callback", error: toError(thrown) }, { onError });
    response.writeHead(500).end();
  }
}
