/** Faults that can be built into the model, one at a time. The invariants must find each of them. */
export const mutants = [
  "append without a fence",
  "fence that is the name of the node",
  "append without a gap check",
  "append acknowledged before it is stored",
  "repeated append stored twice",
  "begin after a seal",
  "seal without an owner check",
  "seal of an ended stream",
  "response and end in two operations",
  "adopt without a compare",
  "claim in two operations",
  "event written before it is appended",
  "writer that uses the sequence of an unknown append again",
  "connection without a cursor",
  "follower without a gap fill",
] as const;

export type Mutant = (typeof mutants)[number];
