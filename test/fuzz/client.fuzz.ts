import { createSessionSubject } from "./defined-subjects.ts";
import { readMessages } from "./fuzz.ts";
import { createClientSubject } from "./subjects.ts";
import { testFuzz } from "./suite.ts";

testFuzz(
  [
    ["a client whose handlers misbehave", createClientSubject],
    ["a client's session", createSessionSubject],
  ],
  readMessages() / 4,
);
