import { isObject, type Revision } from "../../../generated/support.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { RpcError, errorCodes, invalidParams } from "../../jsonrpc/errors.ts";
import { omit } from "../../protocol/revision/known-members.ts";
import { ResponseScope, FormScope } from "./response-scope.ts";
import { FormError } from "../errors.ts";
import { checkForm, fillForm } from "../../protocol/methods/elicitation-form.ts";
import type { AnyElicitationOption } from "../protocol-types.ts";
import { isUrl } from "../../internal/parse-url.ts";
import { setLimited } from "../../internal/set-limited.ts";

/** Handler of the server's elicitation requests in one session. */
export interface Elicitation {
  elicit(params: unknown, call: CallContext): Promise<object>;
  /** Called when the server reports the end of an interaction. Ignores all but open interactions. */
  complete(params: unknown): unknown;
  /** Called when the server rejected a call until these pages have been visited: the server notifies when they have. */
  expect(elicitations: unknown): void;
}

/**
 * Connects the handlers of the user to `elicitation/create`.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
 */
export function createElicitation(source: AnyElicitationOption): Elicitation {
  const open = new Map<string, true>();
  const remember = (id: unknown): void => {
    if (typeof id === "string") setLimited(open, [id, true], mostOpen);
  };
  return {
    async elicit(given, call) {
      if (!isObject(given)) throw rejectMode("form");
      const params = toKnown(given, call.revision);
      if (params.mode !== "url") return askForm(source, params, call);
      const response = await askUrl(source, params, call);
      if (response.action === "accept") remember(params.elicitationId);
      return response;
    },
    complete(params) {
      const id = isObject(params) ? params.elicitationId : undefined;
      return typeof id === "string" && open.delete(id) ? source.completed?.(id) : undefined;
    },
    expect(elicitations) {
      for (const item of Array.isArray(elicitations) ? elicitations : []) {
        if (isObject(item)) remember(item.elicitationId);
      }
    },
  };
}

/** Reads every elicitation as a form at revisions without modes. */
function toKnown(params: Record<string, unknown>, { capabilities }: Revision): Record<string, unknown> {
  return capabilities.client.includes("elicitation.url") ? params : omit(params, "mode", "url", "elicitationId");
}

/** Runs the form handler. If its values do not fit the form, they are not sent: neither side would know how to treat them. */
async function askForm(
  source: AnyElicitationOption,
  params: Record<string, unknown>,
  call: CallContext,
): Promise<object> {
  if (!source.form) throw rejectMode("form");
  const { requestedSchema } = params;
  const { action, content } = toElicitResult(await source.form(params, new FormScope(call, requestedSchema)));
  if (action !== "accept") return { action };
  const filled = fillForm(requestedSchema, isObject(content) ? content : {});
  const issues = checkForm(requestedSchema, filled);
  if (issues.length > 0) throw new FormError(issues);
  return { action, content: filled };
}

async function askUrl(
  source: AnyElicitationOption,
  params: Record<string, unknown>,
  call: CallContext,
): Promise<{ readonly action: unknown }> {
  if (!source.url) throw rejectMode("url");
  if (!isPage(params.url)) throw invalidParams({ path: "url", expected: "a valid http or https URL" });
  const { action } = toElicitResult(await source.url(params, new ResponseScope(call)));
  return { action };
}

/** True for URLs of http and https. Programs pass URLs to the system, which opens files, runs scripts and starts programs for other schemes. */
function isPage(url: unknown): boolean {
  if (typeof url !== "string" || /[\s\p{Cc}]/u.test(url) || !isUrl(url)) return false;
  return /^https?:$/.test(new URL(url).protocol);
}

function toElicitResult(response: unknown): { readonly action: unknown; readonly content: unknown } {
  return isObject(response)
    ? { action: response.action, content: response.content }
    : { action: undefined, content: undefined };
}

function rejectMode(mode: string): RpcError {
  return new RpcError(errorCodes.invalidParams, `Elicitation mode ${mode} is not supported by this client`, {
    data: { mode },
  });
}

/** Maximum number of open interactions: a server which never completes any must not fill the memory of the client. */
const mostOpen = 1_000;
