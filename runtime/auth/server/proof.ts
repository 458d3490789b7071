import type { Awaitable } from "../../../generated/support.ts";
import { toBase64Url } from "../../framing/base64.ts";
import { sha256 } from "../../internal/digest.ts";
import type { RequestHead } from "../../transport/http-server/exchange/exchange.ts";
import type { Claims } from "./claims.ts";
import { Nonces, type NonceOptions } from "./nonces.ts";
import { MemoryReplayStore, type ReplayStore } from "../../stores/replay-store.ts";
import type { ClusterAccess } from "../../stores/shared-parts.ts";
import { isUrl } from "../../internal/parse-url.ts";

/** Proof of possession. Its signature was verified with the key in it. */
export interface Proof {
  readonly claims: Claims;
  /** Thumbprint of the key, as RFC 7638 defines it. */
  readonly thumbprint: string;
}

/** Reader of proofs, with verification of their signatures. */
export interface ProofReader {
  /** Accepted signature algorithms, asymmetric ones only. */
  readonly algorithms: readonly string[];
  /** Returns the proof, or `undefined` if the text is not a proof or is signed with another key than the one in it. */
  read(text: string): Awaitable<Proof | undefined>;
}

/** Options for the proof of possession of a token. */
export interface ProofOptions {
  readonly proofs: ProofReader;
  /** True to reject tokens without a binding to a key. Default: they are accepted too. */
  readonly required?: boolean;
  /** Seconds by which the time of a proof may differ from the server's clock. Default 300. */
  readonly maxAge?: number;
  /** Store of used proofs. Default: the store of the cluster, else in the memory of this process. */
  readonly replays?: ReplayStore;
  /** Nonces required in proofs, to keep clients from creating proofs in advance. Default: no nonces are required. */
  readonly nonces?: NonceOptions | true;
}

/** Result of checking a proof. `fields` are header fields for the response in any case. */
export interface ProofResult {
  readonly problem?: { readonly error: "invalid_dpop_proof" | "use_dpop_nonce"; readonly description: string };
  readonly fields?: Readonly<Record<string, string>>;
}

/** Facts that a proof must match. */
export interface ProofSubject {
  readonly token: string;
  /** Thumbprint of the token's key. */
  readonly key: string;
  /** Principal of the token. The replay store records it as the owner of the proof. */
  readonly principal: string;
  /** URI of the request, as its client sees it. */
  readonly uri: URL;
  /** Time of the check in milliseconds since 1970. */
  readonly now: number;
}

/** Checks the proof of a request. */
export type CheckProof = (head: RequestHead, subject: ProofSubject) => Promise<ProofResult>;

/**
 * Creates a check for proofs.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-4.3
 */
export function createProofChecker(
  { proofs, maxAge = 300, replays, nonces }: ProofOptions,
  cluster: ClusterAccess,
): CheckProof {
  const own = new MemoryReplayStore();
  const source = nonces && new Nonces(nonces === true ? {} : nonces, () => cluster.shared?.deriveKeys("nonces"));
  return async (head, subject) => {
    const text = head.header("dpop");
    // Repeated headers are joined with a comma, which no proof contains.
    if (text === undefined || text.includes(",")) return invalid("The DPoP header must be sent once");
    const proof = text.length <= maxLength ? await proofs.read(text) : undefined;
    if (!proof) return invalid("The DPoP proof is not signed with its own key");
    const wrong = await findProofProblem(proof, { ...subject, method: head.method, maxAge });
    if (wrong !== undefined) return invalid(wrong);
    const nonce = await source?.current(subject.now);
    const fields = nonce === undefined || nonce === proof.claims.nonce ? {} : { fields: { "dpop-nonce": nonce } };
    if (source && !(await source.isFresh(proof.claims.nonce, subject.now))) {
      return {
        problem: { error: "use_dpop_nonce", description: "The DPoP proof requires the nonce of this server" },
        ...fields,
      };
    }
    const store = replays ?? cluster.shared?.replays ?? own;
    const until = subject.now + 2 * maxAge * 1_000;
    const isNew = await store.add(`${proof.thumbprint} ${String(proof.claims.jti)}`, until, subject.principal);
    return isNew ? fields : invalid("The DPoP proof was already used");
  };
}

function invalid(description: string): ProofResult {
  return { problem: { error: "invalid_dpop_proof", description } };
}

interface Expected extends ProofSubject {
  readonly method: string;
  readonly maxAge: number;
}

async function findProofProblem({ claims, thumbprint }: Proof, expected: Expected): Promise<string | undefined> {
  const { htm, htu, iat, jti, ath } = claims;
  if (typeof jti !== "string" || jti === "" || jti.length > 256) return "The DPoP proof requires an identifier (jti)";
  if (htm !== expected.method) return "The DPoP proof is for another method";
  if (toTarget(htu) !== toTarget(expected.uri.href)) return "The DPoP proof is for another URI";
  if (typeof iat !== "number" || !(Math.abs(iat - expected.now / 1_000) <= expected.maxAge)) {
    return "The DPoP proof is expired or issued in the future";
  }
  if (thumbprint !== expected.key) return "The access token is bound to another key";
  return ath === (await hash(expected.token)) ? undefined : "The DPoP proof is for another access token";
}

/** Returns a URI without query and fragment, normalized as RFC 3986 allows. */
function toTarget(uri: unknown): string | undefined {
  if (typeof uri !== "string" || !isUrl(uri)) return undefined;
  const { origin, pathname } = new URL(uri);
  return origin + pathname;
}

async function hash(text: string): Promise<string> {
  return toBase64Url(await sha256(text));
}

const maxLength = 8_192;
