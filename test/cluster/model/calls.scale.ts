import { testKind } from "./suite.ts";

testKind("calls", 60_000);
