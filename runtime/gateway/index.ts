export { readPartLosses } from "./conversion-losses.ts";
export type { PartLosses } from "./conversion-losses.ts";

export { connectUpstream } from "./upstream/upstream-target.ts";
export type { UpstreamTarget } from "./upstream/upstream-target.ts";

export { createGateway } from "./gateway.ts";
export type { Gateway, GatewayOptions } from "./gateway.ts";

export { serveGatewayHttp, serveGatewayStdio } from "./serve.ts";

export type { OnTraffic, TrafficEntry, TrafficLoss, TrafficProblem } from "./traffic/entry.ts";
