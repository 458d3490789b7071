import type { Revision } from "../../generated/support.ts";
import type { AnyCoreDefinition } from "../../runtime/server/any-definition.ts";
import { allFeatures, type createServer } from "../../runtime/server/create-server.ts";
import type { BuildOptions, CoreServer } from "../../runtime/server/server.ts";
import { forRevisions, type RevisionDefiners } from "../../runtime/server/for-revisions.ts";
import type { ToolLists } from "../../runtime/server/tools/registry.ts";
import type { ProtocolTypes } from "../../runtime/server/protocol-types.ts";
import { runStdio, startHttp, startServer, type RunOptions } from "../../runtime/server/run/run-server.ts";
import { serveHttp } from "../../runtime/server/run/serve-http.ts";
import { serveStdio, type StdioService } from "../../runtime/server/run/serve-stdio.ts";
import type { DevHost } from "./dev-host.ts";
import type { ServedOptions } from "./swapped-options.ts";

/** Functions in place of the runtime's, for one load of a program. */
export interface DevFunctions {
  readonly buildServer: <Lists extends object, Definition extends AnyCoreDefinition>(
    definition: Definition,
    revisions: readonly Revision[],
    options: BuildOptions<Lists, Definition>,
  ) => CoreServer & ToolLists & Lists;
  readonly createServer: typeof createServer;
  readonly forRevisions: typeof forRevisions;
  readonly runHttp: (server: CoreServer, options?: RunOptions) => Promise<unknown>;
  readonly runServer: (server: CoreServer, options?: RunOptions) => Promise<unknown>;
  readonly runStdio: (server: CoreServer, options?: Parameters<typeof runStdio>[1]) => Promise<unknown>;
  readonly serveHttp: (server: CoreServer, options?: Parameters<typeof serveHttp>[1]) => Promise<unknown>;
  readonly serveStdio: typeof serveStdio;
}

/** Creates the functions of one load. */
export function createDevFunctions(host: DevHost, url: string): DevFunctions {
  const buildServer: DevFunctions["buildServer"] = (definition, revisions, options) =>
    host.build(url, (slot) => slot.build(definition, revisions, options));
  const serve =
    <Options extends ServedOptions, Result>(start: (server: CoreServer, options?: Options) => Promise<Result>) =>
    (server: CoreServer, options: Options): Promise<unknown> =>
      host.serve<Options, Result>(url, { server, options, start });
  const create: DevFunctions["createServer"] = (definition, revisions) =>
    buildServer(definition, revisions, allFeatures);
  return {
    buildServer,
    createServer: create,
    forRevisions: <P extends ProtocolTypes>(revisions: readonly Revision[]): RevisionDefiners<P> => ({
      ...forRevisions<P>(revisions),
      defineServer: (definition) => create(definition, revisions),
    }),
    runHttp: (server, options = {}) => serve(startHttp)(server, options),
    runServer: (server, options = {}) => serve(startServer)(server, options),
    runStdio: (server, options = {}) => serve(runStdio)(server, options),
    serveHttp: (server, options = {}) => serve(serveHttp)(server, options),
    serveStdio(server, options = {}) {
      let service: StdioService | undefined;
      const start = (...given: Parameters<typeof serveStdio>): Promise<void> => (service = serveStdio(...given)).closed;
      const closed = serve(start)(server, options).then(() => {});
      return { closed, close: async () => service?.close() };
    },
  };
}
