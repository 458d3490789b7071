export { readPartLosses } from "./losses.ts";
export type { PartLosses } from "./losses.ts";

export { openPlace } from "./place.ts";
export type { ServerPlace } from "./place.ts";

export { createGateway } from "./gateway.ts";
export type { Gateway, GatewayOptions } from "./gateway.ts";

export { serveGatewayHttp, serveGatewayStdio } from "./serve.ts";
