/** Conventions of the early community guides. */
export { communityProfile, communityReconnect, createCommunityProfile, guideKey } from "./community-profile.ts";
export type { CommunityOptions } from "./community-profile.ts";

export { categoryOf, errorRanges, toErrorCategory } from "./error-categories.ts";
export type { ErrorCategory, ErrorRange } from "./error-categories.ts";

export { createRejection, readRejection, rejections } from "./rejections.ts";
export type { Rejection, RejectionCategory, RejectionName, RejectionOptions } from "./rejections.ts";

export type { HttpRejection, HttpRejectionReason, Profile } from "../protocol/profile.ts";
