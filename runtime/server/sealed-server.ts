import { isObject, type Revision } from "../../generated/support.ts";
import { systemClock } from "../internal/timers.ts";
import { defaultTimeouts } from "../jsonrpc/limits.ts";
import type { LifecycleMiddleware } from "../lifecycle/lifecycle-middleware.ts";
import type { MessageMiddleware } from "../protocol/peer/message-middleware.ts";
import type { CloseOptions } from "../protocol/session/connection.ts";
import type { TaskNode } from "../stores/task-node.ts";
import type { AnyCoreDefinition } from "./any-definition.ts";
import { toCapabilities } from "./capabilities.ts";
import { HandlerScope, type InputSupport } from "./context.ts";
import {
  findProvided,
  type CreateInput,
  type Earlier,
  type Feature,
  type NamedImplementation,
  type ServedFeature,
} from "./feature.ts";
import { createHandlers } from "./handlers.ts";
import { createPlainInputRunner } from "./input/input-runner.ts";
import { wrapLifecycle } from "./middleware/lifecycle-scope.ts";
import {
  readMessageMiddleware,
  readRequestSteps,
  type RequestStep,
  type ServerMiddleware,
} from "./middleware/middleware.ts";
import { RevisionServer, type ServerParts } from "./revision-server.ts";
import type { ServerImplementation } from "./server.ts";
import { createTools } from "./tools/registry.ts";

/** Parts of which a server is made once its middleware and the set of its lists are known. */
export interface SealedParts {
  readonly definition: AnyCoreDefinition;
  readonly parts: ServerParts;
  readonly middleware: readonly ServerMiddleware[];
  readonly features: readonly Feature[];
  readonly served: readonly { readonly name: string; readonly feature: ServedFeature }[];
  readonly createInput: CreateInput | undefined;
}

/** A server whose middleware no longer changes. It is implemented at each revision once. */
export class SealedServer {
  /** Middleware around requests handled by the lifecycle itself. */
  readonly around: LifecycleMiddleware | undefined;
  /** Middleware around all messages but received requests. */
  readonly messageMiddleware: readonly MessageMiddleware[] | undefined;
  readonly #steps: readonly RequestStep[];
  readonly #sealed: SealedParts;
  readonly #built = new Map<Revision, ServerImplementation>();

  constructor(sealed: SealedParts) {
    this.#sealed = sealed;
    this.#steps = readRequestSteps(sealed.middleware);
    this.around = wrapLifecycle(this.#steps);
    this.messageMiddleware = readMessageMiddleware(sealed.middleware);
  }

  /** Returns the handlers and capabilities at a revision. */
  at(revision: Revision): ServerImplementation {
    const built = this.#built.get(revision) ?? this.#implement(revision);
    this.#built.set(revision, built);
    return built;
  }

  /**
   * Returns the scopes a request needs, before any part of the response has been sent. There are none for a definition with restricted visibility:
   * the registries check its scopes later, once it is clear that the client may see the definition.
   */
  readScopes(method: string, params: unknown): readonly string[] {
    if (!isObject(params)) return [];
    const { parts, served } = this.#sealed;
    const { name } = params;
    const tool = method === "tools/call" && typeof name === "string" ? parts.tools.get(name) : undefined;
    const found = tool ?? findFirst(served, ({ feature }) => feature.findAsked?.(method, params));
    return found?.visible ? [] : (found?.scopes ?? []);
  }

  /** Shares the tasks of the server with other nodes of a cluster. */
  startTasks(node: TaskNode): void {
    for (const { feature } of this.#sealed.served) feature.startTasks?.(node);
  }

  /** Closes every connection, then the features, within one time. */
  async close(options: CloseOptions): Promise<void> {
    const { parts, served } = this.#sealed;
    const { drain = defaultTimeouts.drain } = options;
    const deadline = systemClock.now() + drain;
    await parts.sessions.close(options);
    const rest = Math.max(0, deadline - systemClock.now());
    await Promise.all(served.map(async ({ feature }) => feature.close?.({ drain: rest })));
  }

  #implement(revision: Revision): ServerImplementation {
    const { definition, parts, features } = this.#sealed;
    const server = new RevisionServer(parts, revision, this.#createInput(revision));
    const tools = createTools(parts.tools, server);
    const implemented = this.#implementFeatures(server, tools);
    const handlers = createHandlers(server, { tools, implemented, steps: this.#steps });
    const capabilities = toCapabilities(handlers, revision, {
      listChanged: parts.lists.changeable,
      subscribe: parts.settings.subscribe,
      experimental: definition.experimental,
      gates: implemented.flatMap(({ gates = [] }) => gates),
    });
    const guarded = findProvided(features, "extensionSupport")?.guard(handlers, revision) ?? handlers;
    return { role: "server", revision, handlers: guarded, capabilities };
  }

  #createInput(revision: Revision): InputSupport {
    const { features, createInput } = this.#sealed;
    const askForTask = findProvided(features, "createAskForTask")?.(revision);
    return createInput?.(revision, askForTask) ?? createPlainInput();
  }

  #implementFeatures(server: RevisionServer, tools: Earlier["tools"]): readonly NamedImplementation[] {
    const features: NamedImplementation[] = [];
    for (const { name, feature } of this.#sealed.served) {
      const implemented = feature.implement?.(server, { tools, features });
      if (implemented) features.push({ ...implemented, name });
    }
    return features;
  }
}

/** Creates contexts and an input runner for programs without input requests. */
function createPlainInput(): InputSupport {
  return { inputRunner: createPlainInputRunner(), createScope: (call, parts) => new HandlerScope(call, parts) };
}

function findFirst<Item, Found>(items: readonly Item[], find: (item: Item) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
