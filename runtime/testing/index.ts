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
