/** Builds of servers: one file with every package that a server imports, and the licences of those packages. */
export { bundleServer } from "./bundle-server.ts";
export type { BundleServerOptions } from "./bundle-server.ts";
