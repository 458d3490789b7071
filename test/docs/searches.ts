/** Words that readers search for, and the guide that has to come first, on the site and in `create-mcp-server docs`. */
export const searches: readonly (readonly [words: string, guide: string])[] = [
  ["elicit", "serve-all"],
  ["defineTool", "first-server"],
  ["PORT", "run"],
  ["deploy", "deploy"],
  ["rate limit", "security"],
  ["auth0", "authorization"],
  ["zod", "first-server"],
  ["next", "mount"],
  ["record", "record-and-replay"],
  ["pin", "pin-a-revision"],
  ["middleware", "middleware"],
];
