import type { ClientCalls } from "../../generated/2025-11-25/index.ts";
import type { Declarations as Newest } from "../../generated/2026-07-28/index.ts";
import type { Revision } from "../../generated/support.ts";
import type { ClientConnection } from "../../runtime/client/index.ts";
import type { Engine } from "../../cluster/stores/engine.ts";
import type { ClientSession, RevisionDefiners, Server } from "../../runtime/index.ts";

/* Names that the examples of doc comments use without an import, so that each of them shows one thing. */

declare global {
  /** Declarations of the newest revision. */
  type Declarations = Newest;
  const revision: Revision;
  /** Server of the program. */
  const server: Server;
  /** Session with a server. */
  const client: ClientSession<Newest>;
  /** Connection to a server, without the types of a revision. */
  const connection: ClientConnection;
  /** Requests that the connection sends at a revision with sessions. */
  const calls: ClientCalls;
  /** Engine that the nodes of a cluster share. */
  const engine: Engine;
  const defineServer: RevisionDefiners<Newest>["defineServer"];
  const defineTool: RevisionDefiners<Newest>["defineTool"];
  const defineResourceTemplate: RevisionDefiners<Newest>["defineResourceTemplate"];
  const definePrompt: RevisionDefiners<Newest>["definePrompt"];
}
