// W10 access tokens: what it costs to judge a request by its token, with the key of the issuer at hand: a token seen before, and ones seen for the first
// time by each algorithm, beside the signature alone as Node verifies it at once and as the web platform does (in a thread of its own).
import { generateKeyPairSync, randomUUID, sign, verify } from "node:crypto";
import { guard } from "../lib/quiet.mjs";
import { fold } from "../lib/stats.mjs";
import { table, ratio } from "../lib/report.mjs";

export const title = "access tokens";
export const applies = (a) => !!a.tokenJudge;

const issuer = "https://issuer.example";
const resource = "https://mcp.example/mcp";
const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Keys and signatures by algorithm; `web` is what the web platform calls it. */
const algorithms = {
  RS256: {
    keys: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
    hash: "sha256",
    web: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  },
  ES256: {
    keys: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
    hash: "sha256",
    dsaEncoding: "ieee-p1363",
    web: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  },
  EdDSA: { keys: () => generateKeyPairSync("ed25519"), hash: null, web: { name: "Ed25519" } },
};

function makeIssuer(alg) {
  const { keys, hash, dsaEncoding } = algorithms[alg];
  const { privateKey, publicKey } = keys();
  const jwk = publicKey.export({ format: "jwk" });
  const makeToken = () => {
    const now = Math.floor(Date.now() / 1e3);
    const claims = {
      iss: issuer,
      aud: resource,
      sub: "user",
      scope: "mcp",
      iat: now,
      exp: now + 3600,
      jti: randomUUID(),
    };
    const text = `${part({ alg, kid: "k", typ: "at+jwt" })}.${part(claims)}`;
    return `${text}.${sign(hash, Buffer.from(text), { key: privateKey, dsaEncoding }).toString("base64url")}`;
  };
  return { alg, jwk, jwks: { keys: [{ ...jwk, kid: "k", alg }] }, publicKey, makeToken };
}

/** Microseconds that pass, and that processors of this process work, for each. */
async function perCall(items, run) {
  const t0 = performance.now();
  const c0 = process.cpuUsage();
  for (const item of items) await run(item);
  const { user, system } = process.cpuUsage(c0);
  return { wall: ((performance.now() - t0) / items.length) * 1e3, cpu: (user + system) / items.length };
}

const toSigned = (token) => {
  const end = token.lastIndexOf(".");
  return { text: Buffer.from(token.slice(0, end)), bytes: Buffer.from(token.slice(end + 1), "base64url") };
};

async function measureFresh(a, { alg, jwk, jwks, publicKey, makeToken }, count) {
  const judge = await a.tokenJudge({ issuer, resource, jwks });
  const { hash, dsaEncoding, web } = algorithms[alg];
  const key = await crypto.subtle.importKey("jwk", jwk, web, false, ["verify"]);
  const make = () => Array.from({ length: count }, makeToken);
  for (const token of make().slice(0, 100)) await judge(token);
  const tokens = make();
  const signed = tokens.map(toSigned);
  const judged = await perCall(tokens, judge);
  const atOnce = await perCall(signed, ({ text, bytes }) => {
    if (!verify(hash, text, { key: publicKey, dsaEncoding }, bytes)) throw new Error("not verified");
  });
  const apart = await perCall(signed, async ({ text, bytes }) => {
    if (!(await crypto.subtle.verify(web, key, bytes, text))) throw new Error("not verified");
  });
  return { judged, atOnce, apart };
}

async function measureSeen(a, { jwks, makeToken }, count) {
  const judge = await a.tokenJudge({ issuer, resource, jwks });
  const known = new Array(count).fill(makeToken());
  await perCall(known.slice(0, 2_000), judge);
  return perCall(known, judge);
}

export async function run(list, { reps = 5, quick }) {
  const { seen, fresh } = quick ? { seen: 5_000, fresh: 300 } : { seen: 50_000, fresh: 1_000 };
  const issuers = Object.keys(algorithms).map(makeIssuer);
  const out = {};
  for (let r = 0; r < reps; r++)
    for (const a of list) {
      const one = await guard(async () => {
        const by = { seen: await measureSeen(a, issuers[0], seen) };
        for (const from of issuers) by[from.alg] = await measureFresh(a, from, fresh);
        return by;
      });
      (out[a.id] ??= { reps: [] }).reps.push(one);
    }
  for (const id of Object.keys(out)) Object.assign(out[id], fold(out[id].reps));
  return { result: out };
}

export function render({ result }, list) {
  const rows = list
    .filter((a) => result[a.id])
    .flatMap((a) => {
      const { seen, ...fresh } = result[a.id].median;
      return [
        [a.label, "RS256, seen before", seen.wall, seen.cpu, "-", "-", "-", "-", "-"],
        ...Object.entries(fresh).map(([alg, { judged, atOnce, apart }]) => [
          a.label,
          `${alg}, first seen`,
          judged.wall,
          judged.cpu,
          atOnce.wall,
          apart.wall,
          apart.cpu,
          ratio(judged.wall, atOnce.wall),
          ratio(judged.wall, apart.wall),
        ]),
      ];
    });
  const head = ["contestant", "token", "us", "CPU us", "node:crypto us", "Web Crypto us", "Web Crypto CPU us"];
  return table([...head, "of node:crypto", "of Web Crypto"], rows);
}
