import { readHostileMessages } from "./fuzz.ts";
import { testHostileServers } from "./hostile-suite.ts";

testHostileServers(readHostileMessages() / 2, 6);
