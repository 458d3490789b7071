import { readHostileMessages } from "../fuzz.ts";
import { testHostileServers } from "./suite.ts";

testHostileServers(readHostileMessages() / 2, 6);
