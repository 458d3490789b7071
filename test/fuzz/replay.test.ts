import { testReplay } from "./replay-suite.ts";

testReplay(1_000);
