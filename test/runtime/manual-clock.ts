export { ManualClock } from "../../runtime/testing/manual-clock.ts";
