import type { Catalogue } from "../list/catalogue.ts";
import type { ServerOptions } from "../definition.ts";
import type { ListHost } from "../list/changing-lists.ts";
import type { AnyResource, AnyResources, AnyResourceTemplate } from "../any-definition.ts";

/** What a server has to be read. */
export interface ResourceLists {
  readonly resources: ResourceCatalogue;
  readonly resourceTemplates: Catalogue<AnyResourceTemplate>;
}

/** The fixed resources of a server, and the news about all of its resources. */
export interface ResourceCatalogue extends Catalogue<AnyResource> {
  /**
   * Tells every session that subscribed to this URI that what it gives when read has changed. With `under`, sessions that
   * subscribed to that one are told, too: a folder, say, of which the changed resource is a part.
   */
  changed(uri: string, options?: { readonly under?: string }): void;
}

/** Makes the lists of a definition. */
export function createResourceLists(
  source: AnyResources & Pick<ServerOptions, "subscriptions">,
  host: ListHost,
): ResourceLists {
  const { resources = [], resourceTemplates = [], subscriptions } = source;
  const fixed = host.createList("resources", resources, {
    noun: "resource",
    keyOf: ({ uri }) => uri,
    check: (resource) => host.check({ resources: [resource] }),
  });
  return {
    resources: Object.assign(fixed, {
      changed(uri: string, { under }: { readonly under?: string } = {}): void {
        if (!subscriptions) throw new Error("Nobody can subscribe: define the server with `subscriptions: true`.");
        host.sessions.notifyUpdated(under === undefined ? [uri] : [uri, under]);
      },
    }),
    resourceTemplates: host.createList("resources", resourceTemplates, {
      noun: "resource template",
      keyOf: ({ uriTemplate }) => uriTemplate,
      check: (template) => host.check({ resourceTemplates: [template] }),
    }),
  };
}
