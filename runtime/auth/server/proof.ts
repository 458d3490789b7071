import type { Awaitable } from "../../../generated/support.ts";
import { toBase64Url } from "../../framing/base64.ts";
import type { RequestHead } from "../../transport/http-server/exchange/exchange.ts";
import type { Claims } from "./claims.ts";
import { Nonces, type NonceOptions } from "./nonces.ts";
import { MemoryReplayStore, type ReplayStore } from "../../stores/replay-store.ts";

/** A proof of possession whose signature was verified with the key that it carries. */
export interface Proof {
  readonly claims: Claims;
  /** Of the key, by RFC 7638. */
  readonly thumbprint: string;
}

/** Reads proofs of possession. */
export interface ProofReader {
  /** Asymmetric ones only. */
  readonly algorithms: readonly string[];
  /** `undefined` for what is no proof, or is signed by another key than it carries. */
  read(text: string): Awaitable<Proof | undefined>;
}

/** How clients prove that a token is theirs. */
export interface ProofOptions {
  readonly proofs: ProofReader;
  /** Refuse tokens that are bound to no key. Default: they are accepted, too. */
  readonly required?: boolean;
  /** Seconds by which the time of a proof may differ from ours. Default 300. */
  readonly maxAge?: number;
  /** Default: in this process. */
  readonly replays?: ReplayStore;
  /** Ask for nonces in proofs, so that none can be made in advance. Default: not. */
  readonly nonces?: NonceOptions | true;
}

/** How a proof was judged. `fields` belong to the answer in any case. */
export interface ProofVerdict {
  readonly problem?: { readonly error: "invalid_dpop_proof" | "use_dpop_nonce"; readonly description: string };
  readonly fields?: Readonly<Record<string, string>>;
}

/** What a proof has to prove. */
export interface ProofSubject {
  readonly token: string;
  /** Thumbprint of the key that the token is bound to. */
  readonly key: string;
  /** Principal of the token. */
  readonly principal: string;
  /** URI of the request, as its client sees it. */
  readonly uri: URL;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Judges the proof of a request. */
export type JudgeProof = (head: RequestHead, subject: ProofSubject) => Promise<ProofVerdict>;

/**
 * Prepares the judgement of proofs.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-4.3
 */
export function createProofJudge({ proofs, maxAge = 300, replays, nonces }: ProofOptions): JudgeProof {
  const store = replays ?? new MemoryReplayStore();
  const source = nonces && new Nonces(nonces === true ? {} : nonces);
  return async (head, subject) => {
    const text = head.header("dpop");
    // Two headers are joined by a comma, which no proof holds.
    if (text === undefined || text.includes(",")) return invalid("There must be one DPoP header");
    const proof = text.length <= maxLength ? await proofs.read(text) : undefined;
    if (!proof) return invalid("The proof is not signed by the key that it carries");
    const wrong = await findProofProblem(proof, { ...subject, method: head.method, maxAge });
    if (wrong !== undefined) return invalid(wrong);
    const nonce = await source?.current(subject.now);
    const fields = nonce === undefined || nonce === proof.claims.nonce ? {} : { fields: { "dpop-nonce": nonce } };
    if (source && !(await source.isFresh(proof.claims.nonce, subject.now))) {
      return {
        problem: { error: "use_dpop_nonce", description: "The proof needs the nonce of this server" },
        ...fields,
      };
    }
    const until = subject.now + 2 * maxAge * 1_000;
    const isNew = await store.add(`${proof.thumbprint} ${String(proof.claims.jti)}`, until, subject.principal);
    return isNew ? fields : invalid("The proof has been used before");
  };
}

function invalid(description: string): ProofVerdict {
  return { problem: { error: "invalid_dpop_proof", description } };
}

interface Expected extends ProofSubject {
  readonly method: string;
  readonly maxAge: number;
}

async function findProofProblem({ claims, thumbprint }: Proof, expected: Expected): Promise<string | undefined> {
  const { htm, htu, iat, jti, ath } = claims;
  if (typeof jti !== "string" || jti === "" || jti.length > 256) return "The proof needs an identifier";
  if (htm !== expected.method) return "The proof is for another method";
  if (toTarget(htu) !== toTarget(expected.uri.href)) return "The proof is for another URI";
  if (typeof iat !== "number" || !(Math.abs(iat - expected.now / 1_000) <= expected.maxAge)) {
    return "The proof is too old, or of the future";
  }
  if (thumbprint !== expected.key) return "The access token is bound to another key";
  return ath === (await hash(expected.token)) ? undefined : "The proof is for another access token";
}

/** A URI without query and fragment, normalized as RFC 3986 allows. */
function toTarget(uri: unknown): string | undefined {
  if (typeof uri !== "string" || !URL.canParse(uri)) return undefined;
  const { origin, pathname } = new URL(uri);
  return origin + pathname;
}

async function hash(text: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}

const maxLength = 8_192;
