import type { Revision } from "../../../generated/support.ts";
import { isPeerError } from "../../jsonrpc/errors.ts";

/**
 * Makes a request, and once more when the server refuses it because its headers do not fit: what the tool wants to see in headers may have
 * changed since the tools were listed, so they are listed first. What was refused for its headers has not been worked on.
 *
 * @see https://modelcontextprotocol.io/specification/latest/basic/transports/streamable-http
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
