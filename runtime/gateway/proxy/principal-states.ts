import { isObject } from "../../../generated/support.ts";
import { isInputRequired } from "../../client/input/input-required.ts";
import { RpcError, errorCodes, unknownCursor } from "../../jsonrpc/errors.ts";
import { createSigner, type Signer } from "../../server/signer.ts";
import type { SharedParts } from "../../stores/shared-parts.ts";

/**
 * Request states and cursors of the server, passed on to authenticated principals. The server does not distinguish the principals of a gateway, so
 * the gateway signs each for its principal. The nodes of a cluster sign with the same keys.
 */
export class PrincipalStates {
  #signer: Signer = createSigner(purpose, undefined);

  /** Signs with the keys of a cluster from now on. */
  share(shared: SharedParts): void {
    this.#signer = createSigner(purpose, undefined, { shared });
  }

  /** Returns a result whose request state and cursor are signed for a principal. */
  async sign(result: unknown, principal: string | undefined): Promise<unknown> {
    if (principal === undefined || !isObject(result)) return result;
    const { requestState, nextCursor } = result;
    const isStateKnown = isInputRequired(result) && hasContent(requestState);
    return {
      ...result,
      ...(isStateKnown && { requestState: await this.#sign(toScope("state", principal), requestState) }),
      ...(hasContent(nextCursor) && { nextCursor: await this.#sign(toScope("cursor", principal), nextCursor) }),
    };
  }

  /**
   * Returns params with the request state and the cursor of the server.
   *
   * @throws {RpcError} when one of them was not passed on to this principal
   */
  async verify(params: unknown, principal: string | undefined): Promise<unknown> {
    if (principal === undefined || !isObject(params)) return params;
    const { requestState, cursor } = params;
    const hasState = hasContent(requestState);
    const hasCursor = hasContent(cursor);
    const state = hasState ? await this.#verify(toScope("state", principal), requestState) : undefined;
    if (hasState && state === undefined) throw unknownState();
    const position = hasCursor ? await this.#verify(toScope("cursor", principal), cursor) : undefined;
    if (hasCursor && position === undefined) throw unknownCursor();
    return { ...params, ...(hasState && { requestState: state }), ...(hasCursor && { cursor: position }) };
  }

  #sign(scope: string, text: string): Promise<string> {
    return this.#signer.sign(scope, new TextEncoder().encode(text));
  }

  async #verify(scope: string, text: string): Promise<string | undefined> {
    const content = await this.#signer.verify(scope, text);
    return content && new TextDecoder().decode(content);
  }
}

/** Creates the error of a request state the gateway has not returned to this client, or no longer knows. */
export function unknownState(): RpcError {
  const message = "Invalid params: requestState is unknown or expired; send the request again without it";
  return new RpcError(errorCodes.invalidParams, message);
}

/**
 * True for text with content. An empty state or cursor belongs to no principal, and has no signature: some servers end their lists with an empty
 * cursor, and clients know it.
 */
function hasContent(text: unknown): text is string {
  return typeof text === "string" && text !== "";
}

function toScope(kind: "state" | "cursor", principal: string): string {
  return `gateway ${kind} 1\n${principal}`;
}

const purpose = "gateway requestState";
