/** Maximum number of input requests in one result or one status of a task. Servers send further ones after the responses. */
export const maxInputRequests = 100;

/** Returns the input requests a server sends next. */
export function firstInputRequests(inputRequests: Iterable<readonly [string, unknown]>): object {
  return Object.fromEntries([...inputRequests].slice(0, maxInputRequests));
}
