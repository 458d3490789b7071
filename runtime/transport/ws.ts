export { createWsTransport, serveWebSocket } from "./websocket-ws.ts";
export type { WsClientOptions, WsOptions, WsServer, WsServerOptions } from "./websocket-ws.ts";

export { listenWebSocket } from "./websocket-listen.ts";
export type { WsListenOptions, WsListener } from "./websocket-listen.ts";
