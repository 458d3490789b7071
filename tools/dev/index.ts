/** Development of servers: builds a server at every change, and swaps its definition in the running process. */
export { watchServer } from "./watch-server.ts";
export type { WatchOptions } from "./watch-server.ts";
export type { Bundler, BundlerContext, BundlerOptions } from "./bundler.ts";
