import type { Catalogue } from "../list/catalogue.ts";
import type { ServerOptions } from "../definition.ts";
import type { ListHost } from "../list/changing-lists.ts";
import type { AnyResource, AnyResources, AnyResourceTemplate } from "../any-definition.ts";
import { spellingsOf } from "./uri-spellings.ts";

/** Resource lists of a server. */
export interface ResourceLists {
  readonly resources: ResourceCatalogue;
  readonly resourceTemplates: Catalogue<AnyResourceTemplate>;
}

/** Fixed resources of a server, and change notifications for all of its resources. */
export interface ResourceCatalogue extends Catalogue<AnyResource> {
  /**
   * Notifies every session subscribed to this URI that its content has changed. With `under`, sessions subscribed to this second URI are notified,
   * too: it may be a folder around the changed resource.
   *
   * @throws {Error} when the server is not defined with `subscribe: true`.
   */
  notifyUpdated(uri: string, options?: { readonly under?: string }): void;
}

/** Creates the resource lists of a server definition. */
export function createResourceLists(
  source: AnyResources & Pick<ServerOptions, "subscribe">,
  host: ListHost,
): ResourceLists {
  const { resources = [], resourceTemplates = [], subscribe } = source;
  const fixed = host.createList("resources", resources, {
    noun: "resource",
    keyOf: ({ uri }) => uri,
    check: (resource) => host.check({ resources: [resource] }),
  });
  return {
    resources: Object.assign(fixed, {
      notifyUpdated(uri: string, { under }: { readonly under?: string } = {}): void {
        if (!subscribe) throw new Error("The server has no resource subscriptions; define it with `subscribe: true`");
        const folders = under === undefined ? [] : spellingsOf(under);
        const [first, ...others] = spellingsOf(uri);
        host.sessions.notifyUpdated([first, ...folders]);
        // Each client is notified of the URI as it subscribed to it.
        for (const spelling of others) host.sessions.notifyUpdated([spelling]);
      },
    }),
    resourceTemplates: host.createList("resources", resourceTemplates, {
      noun: "resource template",
      keyOf: ({ uriTemplate }) => uriTemplate,
      check: (template) => host.check({ resourceTemplates: [template] }),
    }),
  };
}
