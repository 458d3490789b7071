import { isObject } from "../../../generated/support.ts";
import { checkResource, checkTemplate } from "./check-resources.ts";
import { checkUnique } from "../check-definition.ts";
import type { Completing, CompletionTarget } from "../completions/complete.ts";
import { reject } from "../errors.ts";
import type { Feature, ServedFeature } from "../feature.ts";
import type { RevisionServer, ServerParts } from "../revision-server.ts";
import { toListHandler } from "../list/list-handler.ts";
import type { CompleteParams, ServedHandlers } from "../methods/served-handlers.ts";
import type { ResourceLists } from "./catalogue.ts";
import { createParser, createResources, matchFirst, toReadError, type ResourceRegistry } from "./registry.ts";
import { hasScopes, requireScopes } from "../scopes.ts";
import type { AnyResources } from "../any-definition.ts";
import type { AnyContext } from "../protocol-types.ts";
import { findSpelling } from "./uri-spellings.ts";
import { SessionSubscriptions, implementSubscriptions } from "./subscriptions.ts";

/** Fixed resources, resource templates and subscriptions to them. */
export const resources: Feature = {
  name: "resources",
  check({ resources: fixed = [], resourceTemplates: templates = [] }: AnyResources, revisions) {
    for (const resource of fixed) checkResource(resource, revisions);
    for (const template of templates) checkTemplate(template, revisions);
    const uris = fixed.map(({ uri }) => uri);
    const texts = templates.map(({ uriTemplate }) => uriTemplate);
    checkUnique("resources", "URI", uris);
    checkUnique("resourceTemplates", "URI template", texts);
  },
  create(parts: ServerParts & ResourceLists) {
    const { resources: fixed, resourceTemplates: templates, sessions, settings } = parts;
    const subscriptions = new SessionSubscriptions(sessions, settings.maxSubscriptions);
    sessions.attach(subscriptions);
    return {
      findAsked: createFinder(parts),
      implement(server): Completing {
        const registry = createResources({ resources: fixed, templates }, server);
        const isOffered = parts.lists.isOffered("resources");
        return {
          handlers: {
            ...(isOffered && implementResources(registry, server)),
            ...(isOffered && settings.subscribe && implementSubscriptions(registry, subscriptions, server)),
          },
          isUsable: (uri, call) => isUsable(registry, uri, server.scope(call)),
          findComplete: (params, scope) => findComplete(registry, params, scope),
        };
      },
    };
  },
};

/** Finds the resource or template behind a URI or reference, regardless of the client. */
function createFinder({
  resources: fixed,
  resourceTemplates: templates,
}: ResourceLists): NonNullable<ServedFeature["findAsked"]> {
  const parse = createParser();
  return (method, { uri, ref }) => {
    if (isObject(ref)) return typeof ref.uri === "string" ? templates.get(ref.uri) : undefined;
    if (typeof uri !== "string" || !byUri.includes(method)) return undefined;
    return findSpelling(fixed, uri) ?? matchFirst(templates, uri, parse)?.template;
  };
}

const byUri: readonly string[] = ["resources/read", "resources/subscribe"];

function isUsable(registry: ResourceRegistry, uri: string, requester: AnyContext): boolean {
  const resource = registry.locate(uri, requester);
  return resource !== undefined && hasScopes(resource, requester);
}

function implementResources(registry: ResourceRegistry, server: RevisionServer): ServedHandlers {
  return {
    listResources: toListHandler(registry),
    listResourceTemplates: toListHandler(registry.templates),
    readResource: (params, call) =>
      server.inputRunner.run({ method: "resources/read", params }, call, async (during) => {
        try {
          return await registry.read(params.uri, Object.assign(server.scope(during), { uri: params.uri }));
        } catch (error) {
          throw toReadError(error, server.revision);
        }
      }),
  };
}

/** Finds the completion of a template variable. A reference to a fixed resource is valid, and has no suggestions. */
function findComplete(
  registry: ResourceRegistry,
  { ref, argument }: CompleteParams,
  scope: AnyContext,
): CompletionTarget | undefined {
  if (ref.type !== "ref/resource") return undefined;
  if (registry.find(ref.uri, scope)) return { complete: undefined };
  const found = registry.findTemplate(ref.uri, scope);
  if (!found) throw reject(`Unknown resource template: ${ref.uri}`, { uri: ref.uri });
  requireScopes(found.template, scope);
  if (!found.pattern.variables.includes(argument.name))
    throw reject(`Unknown argument: ${argument.name}`, { argument: argument.name });
  const { complete = {} } = found.template;
  return { complete: Object.hasOwn(complete, argument.name) ? complete[argument.name] : undefined };
}
