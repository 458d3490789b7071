import { testEverything } from "./everything-suite.ts";

testEverything({ runtime: "vendored" });
