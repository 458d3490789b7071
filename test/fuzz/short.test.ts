import { createDefinedServerSubject, createSessionSubject } from "./defined-subjects.ts";
import { createClientSubject, createServerSubject } from "./subjects.ts";
import { testFuzz } from "./suite.ts";

testFuzz(
  [
    ["a server whose handlers misbehave", createServerSubject],
    ["a client whose handlers misbehave", createClientSubject],
    ["a defined server", createDefinedServerSubject],
    ["a client's session", createSessionSubject],
  ],
  1_000,
);
