import { testReplay } from "./suite.ts";

testReplay(1_000);
