import { testHostileServers } from "./suite.ts";

testHostileServers(1_000, 2);
