import { testEverything } from "./everything-suite.ts";

testEverything({ runtime: "dependency", install: "npm" });
