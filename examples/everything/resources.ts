import {
  defineResource,
  defineResourceTemplate,
  type ResourceDefinition,
  type ResourceTemplateDefinition,
} from "./mcp/index.ts";
import { png } from "./samples.ts";

/** URI of a resource to which clients may subscribe. */
export const watchedUri = "test://watched-resource";

/** Resources with fixed URIs. */
export const resources: readonly ResourceDefinition[] = [
  defineResource({
    uri: "test://static-text",
    name: "static-text",
    description: "A text that does not change.",
    mimeType: "text/plain",
    read: () => "This is the content of the static text resource.",
  }),
  defineResource({
    uri: "test://static-binary",
    name: "static-binary",
    description: "An image that does not change.",
    mimeType: png.mimeType,
    read: () => Buffer.from(png.data, "base64"),
  }),
  defineResource({
    uri: watchedUri,
    name: "watched-resource",
    description: "The time of the last read; changes with every call of touch_watched_resource.",
    mimeType: "text/plain",
    read: () => `It is ${new Date().toISOString()}.`,
  }),
];

/** Resources whose URIs follow a template. */
export const resourceTemplates: readonly ResourceTemplateDefinition[] = [
  defineResourceTemplate({
    uriTemplate: "test://template/{id}/data",
    name: "data-by-id",
    description: "Data by id.",
    mimeType: "application/json",
    complete: { id: (typed) => ["123", "124", "200"].filter((id) => id.startsWith(typed)) },
    read: ({ id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  }),
];
