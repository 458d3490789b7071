import { testHostileServers } from "./hostile-suite.ts";

testHostileServers(1_000, 2);
