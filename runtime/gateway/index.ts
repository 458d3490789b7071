export { readPartLosses } from "./conversion-losses.ts";
export type { PartLosses } from "./conversion-losses.ts";

export { openPlace } from "./upstream-target.ts";
export type { ServerPlace } from "./upstream-target.ts";

export { createGateway } from "./gateway.ts";
export type { Gateway, GatewayOptions } from "./gateway.ts";

export { serveGatewayHttp, serveGatewayStdio } from "./serve.ts";
