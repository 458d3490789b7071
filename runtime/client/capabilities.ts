import type { Revision } from "../../generated/support.ts";
import { findRow } from "../protocol/methods/method-rows.ts";
import type { Capabilities } from "../protocol/session/session.ts";
import type { AnyClientOptions } from "./options.ts";
import { declareMethods } from "./methods/method-handlers.ts";

/** Returns the capabilities of a client with these handlers, as far as the revision knows them. */
export function toClientCapabilities(source: AnyClientOptions, revision: Revision): Capabilities {
  const { experimental, roots, sampling, elicitation = {} } = source;
  const known = (...path: readonly string[]): boolean => revision.capabilities.client.includes(path.join("."));
  const hasModes = known("elicitation", "url");
  const modes = hasModes ? { ...(elicitation.form && { form: {} }), ...(elicitation.url && { url: {} }) } : {};
  const asks = hasModes ? (elicitation.form ?? elicitation.url) : elicitation.form;
  const canNotify = findRow(revision.clientNotifications, "rootsListChanged") !== undefined;
  return declareMethods(source, revision, {
    ...(experimental && { experimental }),
    ...(roots !== undefined && { roots: canNotify ? { listChanged: true } : {} }),
    ...(sampling && {
      sampling: {
        ...(sampling.tools && known("sampling", "tools") && { tools: {} }),
        ...(sampling.context && known("sampling", "context") && { context: {} }),
      },
    }),
    ...(asks && known("elicitation") && { elicitation: modes }),
    ...(known("tasks") && (sampling?.task || (asks && elicitation.task)) && { tasks: toTaskCapabilities(source) }),
    ...(revision.extensions && { extensions: revision.extensions }),
  });
}

function toTaskCapabilities({ sampling, elicitation }: AnyClientOptions): Capabilities {
  const requests = {
    ...(sampling?.task && { sampling: { createMessage: {} } }),
    ...(elicitation?.task && { elicitation: { create: {} } }),
  };
  return { list: {}, cancel: {}, requests };
}
