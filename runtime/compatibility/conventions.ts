import { isObject, type Revision } from "../../generated/support.ts";

/** Moves a `progressToken` beside `_meta` into `_meta`, unless `_meta` already has one. */
export function readProgressToken(params: unknown): unknown {
  if (!isObject(params) || !Object.hasOwn(params, "progressToken")) return params;
  const { progressToken, ...rest } = params;
  const meta = isObject(rest._meta) ? rest._meta : {};
  return { ...rest, _meta: { progressToken, ...meta } };
}

/** Converts embedded resources without contents to resource links. Results stay as they are at revisions without resource links. */
export function readResourceLinks(result: unknown, revision: Revision): unknown {
  if (!isObject(result)) return result;
  const { content, messages } = result;
  if (Array.isArray(content) && content.some(isBareResource) && hasLinks(revision))
    return { ...result, content: content.map(toLink) };
  if (Array.isArray(messages) && messages.some(isBareMessage) && hasLinks(revision))
    return { ...result, messages: messages.map(toLinkMessage) };
  return result;
}

/** Adds an empty `structuredContent` to a tool result without one, if the revision knows the member. */
export function addStructuredContent(result: unknown, revision: Revision): unknown {
  const isWanted = isObject(result) && Array.isArray(result.content) && result.isError !== true;
  if (!isWanted || Object.hasOwn(result, "structuredContent")) return result;
  // Checks ignore unknown members, so an invalid value is rejected only if the member is known.
  const isKnown = !accepts(revision, { content: [], structuredContent: 0 });
  return isKnown ? { ...result, structuredContent: {} } : result;
}

type Block = Readonly<Record<string, unknown>>;

function isBareResource(block: unknown): block is Block {
  if (!isObject(block) || block.type !== "resource") return false;
  const resource = resourceOf(block);
  return typeof resource.uri === "string" && resource.text === undefined && resource.blob === undefined;
}

function isBareMessage(message: unknown): message is Block {
  return isObject(message) && isBareResource(message.content);
}

function toLinkMessage(message: unknown): unknown {
  return isBareMessage(message) ? { ...message, content: toLink(message.content) } : message;
}

function toLink(block: unknown): unknown {
  if (!isBareResource(block)) return block;
  const { type: _type, resource: _resource, ...beside } = block;
  const resource = resourceOf(block);
  return { name: resource.uri, ...beside, ...resource, type: "resource_link" };
}

/** Returns the resource of a block. Some servers put the members of the resource into the block itself. */
function resourceOf(block: Block): Block {
  return isObject(block.resource) ? block.resource : block;
}

function hasLinks(revision: Revision): boolean {
  return accepts(revision, { content: [{ type: "resource_link", uri: "a:b", name: "a" }] });
}

function accepts({ clientRequests }: Revision, result: object): boolean {
  const row = clientRequests["tools/call"];
  return row !== undefined && row.result(result) === undefined;
}
