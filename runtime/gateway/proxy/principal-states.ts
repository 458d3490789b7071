import { isObject } from "../../../generated/support.ts";
import { isInputRequired } from "../../client/input/input-required.ts";
import { RpcError, errorCodes } from "../../jsonrpc/errors.ts";
import { createSigner, type Signer } from "../../server/signer.ts";
import type { SharedParts } from "../../stores/shared-parts.ts";

/**
 * Request states of the server that are passed on to authenticated principals. The server does not distinguish the principals of a gateway, so that
 * the gateway signs each state for its principal. The nodes of a cluster sign with the same keys.
 */
export class PrincipalStates {
  #signer: Signer = createSigner(purpose, undefined);

  /** Signs with the keys of a cluster from now on. */
  share(shared: SharedParts): void {
    this.#signer = createSigner(purpose, undefined, { shared });
  }

  /** Returns a result whose request state is signed for a principal. */
  async sign(result: unknown, principal: string | undefined): Promise<unknown> {
    if (principal === undefined || !isInputRequired(result) || !isState(result.requestState)) return result;
    const content = new TextEncoder().encode(result.requestState);
    return { ...result, requestState: await this.#signer.sign(toScope(principal), content) };
  }

  /**
   * Returns params with the request state of the server.
   *
   * @throws {RpcError} when the state was not passed on to this principal
   */
  async verify(params: unknown, principal: string | undefined): Promise<unknown> {
    if (principal === undefined || !isObject(params) || !isState(params.requestState)) return params;
    const content = await this.#signer.verify(toScope(principal), params.requestState);
    if (!content) throw unknownState();
    return { ...params, requestState: new TextDecoder().decode(content) };
  }
}

/** Creates the error of a request state that the gateway has not returned to this client, or no longer knows. */
export function unknownState(): RpcError {
  const message = "Invalid params: requestState is unknown or expired; send the request again without it";
  return new RpcError(errorCodes.invalidParams, message);
}

/** True for text with content: an empty state belongs to no principal, and has no signature. */
function isState(state: unknown): state is string {
  return typeof state === "string" && state !== "";
}

function toScope(principal: string): string {
  return `gateway state 1\n${principal}`;
}

const purpose = "gateway requestState";
