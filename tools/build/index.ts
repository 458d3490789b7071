/** Builds of servers: one file with all packages, and the licences of the packages. */
export { bundleServer } from "./bundle-server.ts";
export type { BundleServerOptions } from "./bundle-server.ts";
