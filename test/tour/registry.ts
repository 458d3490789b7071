import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { serveRaw, type RawServer } from "../kit/raw-server.ts";

/** Packed package: the file of `npm pack`, and the manifest in it. */
export interface PackedPackage {
  readonly file: string;
  readonly manifest: { readonly name: string; readonly version: string };
}

/** Serves packed packages as the registry does after their publication. Requests for other packages are redirected to the usual registry. */
export function serveRegistry(packages: readonly PackedPackage[], upstream: string): Promise<RawServer> {
  return serveRaw((request, response) => {
    const path = decodeURIComponent(request.url ?? "").slice(1);
    const found = packages.find(({ file, manifest }) => path === manifest.name || path === basename(file));
    if (!found) return response.writeHead(302, { location: new URL(`.${request.url}`, upstream).href }).end();
    const body = path === found.manifest.name ? describe(found, `http://${request.headers.host}`) : read(found);
    return response.writeHead(200, { "content-type": "application/json" }).end(body);
  });
}

function read({ file }: PackedPackage): Buffer {
  return readFileSync(file);
}

/** Returns the document of a package, with its only version. */
function describe(packed: PackedPackage, registry: string): string {
  const { name, version } = packed.manifest;
  const integrity = `sha512-${createHash("sha512").update(read(packed)).digest("base64")}`;
  const dist = { tarball: `${registry}/${basename(packed.file)}`, integrity };
  return JSON.stringify({
    name,
    "dist-tags": { latest: version },
    versions: { [version]: { ...packed.manifest, dist } },
  });
}
