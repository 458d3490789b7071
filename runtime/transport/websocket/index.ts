export { createWsTransport, serveWebSocket } from "./ws-package.ts";
export type { WsClientOptions, WsOptions, WsServer, WsServerOptions } from "./ws-package.ts";

export { listenWebSocket } from "./websocket-server.ts";
export type { WsListenOptions, WsListener } from "./websocket-server.ts";
