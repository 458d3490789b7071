import type { Revision } from "../../../generated/support.ts";
import { isPeerError } from "../../jsonrpc/errors.ts";

/**
 * Sends a request, and sends it once more if the server rejects its headers. The headers required by a tool may have changed since the tools were
 * listed, so the tools are listed again first. This is safe: a server does not work on a request when it rejects the headers.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
export async function withFreshHeaders<Result>(
  send: () => Promise<Result>,
  server: { readonly revision: Revision; list(): Promise<unknown> },
): Promise<Result> {
  try {
    return await send();
  } catch (error) {
    const code = server.revision.errors.headerMismatch?.code;
    if (code === undefined || !isPeerError(error) || error.code !== code) throw error;
    await server.list();
    return send();
  }
}
