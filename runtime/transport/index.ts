/** Transports between two peers, and the listeners for them. */
export { createFurtherTransports } from "../server/run/further-transports.ts";
export type { AccessOptions, Listen, PortListener, PortService } from "../server/run/further-transports.ts";
export type { FurtherTransports } from "../server/run/run-server.ts";

export { createServerAcceptor } from "../server/run/acceptor.ts";
export type { ServerConnectionOptions } from "../server/run/acceptor.ts";

export { createStdioClientTransport } from "./stdio/stdio-client.ts";
export type { ShutdownDelays, StdioClientOptions, StdioClientTransport } from "./stdio/stdio-client.ts";

export { createStdioTransport } from "./stdio/stdio-server.ts";
export type { ServeStdioOptions, StdioOptions } from "./stdio/stdio-server.ts";

export type { Transport } from "./transport.ts";

export { createSocketTransport, createTcpTransport, listenTcp } from "./tcp/tcp.ts";
export type { SocketAddress, SocketOptions, TcpClientOptions, TcpServer, TcpServerOptions } from "./tcp/tcp.ts";

export { createWebSocketTransport } from "./websocket/websocket-client.ts";
export type { WebSocketClientOptions } from "./websocket/websocket-client.ts";

export type { EndpointOptions } from "./http-client/endpoint.ts";
export type { HttpClientOptions } from "./http-client/http-client.ts";

export type { CorsOptions } from "./http-server/cors.ts";
export type { HostOptions } from "./http-server/host-rules.ts";
export type { HttpOptions, SessionOptions, SseOptions } from "./http-server/settings.ts";

export type { WebSocketOptions } from "./websocket/websocket-transport.ts";
