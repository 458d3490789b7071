import { findStringEnd, type ByteRange } from "./json-scan.ts";

/**
 * True if valid JSON text has a number no double holds: an integer beyond 2^53 that would be rounded, or a number without a finite value.
 *
 * @param text - text of the range, in which most messages are found to have no long numbers
 */
export function hasInexactNumber(text: string, { bytes, start, end }: ByteRange): boolean {
  if (!longNumber.test(text)) return false;
  for (let at = start; at < end; at += 1) {
    const code = bytes[at] ?? 0;
    if (code === quote) at = findStringEnd(bytes, at + 1, end);
    if (!isDigit(code)) continue;
    const last = findNumberEnd(bytes, at, end);
    if (isInexact(ascii.decode(bytes.subarray(at, last)))) return true;
    at = last - 1;
  }
  return false;
}

function findNumberEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && isNumberPart(bytes[at] ?? 0)) at += 1;
  return at;
}

function isInexact(literal: string): boolean {
  const value = Number(literal);
  if (!Number.isFinite(value)) return true;
  if (Number.isSafeInteger(value) || !isInteger.test(literal)) return false;
  return BigInt(literal) !== BigInt(value);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isNumberPart(code: number): boolean {
  return isDigit(code) || code === 0x2e || code === 0x2b || code === 0x2d || code === 0x45 || code === 0x65;
}

const quote = 0x22;
const ascii = new TextDecoder();
const isInteger = /^\d+$/;

/** Beginning of every possibly inexact number. Texts may have such digits in strings as well. */
const longNumber = /[0-9]{16}|[eE][+-]?[0-9]{3}/;
