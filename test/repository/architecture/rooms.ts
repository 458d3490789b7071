/** Folders of hand-written code. */
export const rooms = ["cli", "cluster", "generator", "runtime", "tools"] as const;

/** Folders of the package `mcp-server-runtime`. */
export const runtimeFolders = ["runtime", "cluster", "tools/build", "tools/dev"] as const;

/** True for a file of the package `mcp-server-runtime`. */
export function isOfRuntime(path: string): boolean {
  return runtimeFolders.some((folder) => path.startsWith(`${folder}/`));
}
