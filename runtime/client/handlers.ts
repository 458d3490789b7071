import { isObject, type Revision } from "../../generated/support.ts";
import type { CallContext } from "../rpc/call.ts";
import type { ListKind } from "../common/lists.ts";
import type { Elicitation } from "./elicitation.ts";
import type { RootsKeeper } from "./roots.ts";
import { createSampling } from "./sampling.ts";
import { toClientCapabilities } from "./capabilities.ts";
import type { ClientSource } from "./source.ts";

/** Where the notifications of a server go. */
export interface NoticeBoard {
  listChanged(list: ListKind): void;
  resourceUpdated(uri: string): void;
  log(entry: object): void;
}

/** What answers a server in one session. */
export interface AnswerParts {
  readonly roots: RootsKeeper;
  readonly elicitation: Elicitation;
  readonly board: NoticeBoard;
}

/** Handlers by name for one revision; what is not offered has none. */
export function createClientHandlers(source: ClientSource, revision: Revision, parts: AnswerParts): object {
  const { roots, elicitation, board } = parts;
  const declared = toClientCapabilities(source, revision);
  return {
    ...(roots.isOffered && { listRoots: (_: unknown, call: CallContext) => roots.list(call) }),
    ...(source.sampling && { createMessage: createSampling(source.sampling) }),
    ...(declared.elicitation !== undefined && {
      elicit: (params: unknown, call: CallContext) => elicitation.elicit(params, call),
      elicitationComplete: (params: unknown) => elicitation.complete(params),
    }),
    toolListChanged: () => board.listChanged("tools"),
    resourceListChanged: () => board.listChanged("resources"),
    promptListChanged: () => board.listChanged("prompts"),
    resourceUpdated(params: unknown) {
      if (isObject(params) && typeof params.uri === "string") board.resourceUpdated(params.uri);
    },
    loggingMessage(params: unknown) {
      if (isObject(params)) board.log(params);
    },
  };
}
