export { connectInMemory } from "./connect-to.ts";
export type { ConnectToOptions } from "./connect-to.ts";
export type { TestableServer } from "./connect-to.ts";

export { ManualClock } from "./manual-clock.ts";
export { settle } from "./manual-clock.ts";

export { TranscriptError } from "./transcript.ts";
export { runTranscript } from "./transcript.ts";
export type { TranscriptOptions } from "./transcript.ts";
export type { TranscriptLine } from "./transcript.ts";

export { Wire } from "./wire.ts";

export { createServerTests } from "./server-tests.ts";
export type { ServerTests } from "./server-tests.ts";
export type { ServerTestCase } from "./server-tests.ts";
export type { ServerTestsOptions } from "./server-tests.ts";

export { TestClient } from "./test-client.ts";
export type { TestClientOptions } from "./test-client.ts";
export type { TestHandlers } from "./test-client.ts";
export type { TestRevision } from "./test-client.ts";

export { openStdio, openTcp } from "./links/line-links.ts";
export { openFetch, openHttp, openSse, startHttpProgram } from "./links/http-links.ts";
export type { OpenFetchOptions, TestHttpServer } from "./links/http-links.ts";
export { openWebSocket } from "./links/websocket-link.ts";
export type { TestSocket } from "./links/websocket-link.ts";
export type { OpenTestLink, TestLink, TestMessage, TestResponder } from "./links/link.ts";
export type { TestProgram } from "./links/program.ts";
