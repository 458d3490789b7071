import { createDefinedServerSubject } from "./defined-subjects.ts";
import { readMessages } from "./fuzz.ts";
import { createServerSubject } from "./subjects.ts";
import { testFuzz } from "./suite.ts";

testFuzz(
  [
    ["a server whose handlers misbehave", createServerSubject],
    ["a defined server", createDefinedServerSubject],
  ],
  readMessages() / 4,
);
