import { testKind } from "./suite.ts";

testKind("listeners", 40_000);
