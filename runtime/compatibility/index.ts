/** Conventions of peers that follow the early community guides. */
export { communityProfile, communityReconnect, createCommunityProfile, guideKey } from "./profile.ts";
export type { CommunityOptions } from "./profile.ts";

export { categoryOf, errorRanges, toErrorCategory } from "./error-categories.ts";
export type { ErrorCategory, ErrorRange } from "./error-categories.ts";

export { createRefusal, readRefusal, refusals } from "./rejections.ts";
export type { Refusal, RefusalCategory, RefusalName, RefusalOptions } from "./rejections.ts";

export type { HttpRefusal, HttpRefusalReason, Profile } from "../protocol/profile.ts";
