/** Encodes bytes as the protocol carries them. Works where there is no `Buffer`, in slices that fit on the stack. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let start = 0; start < bytes.length; start += sliceLength) {
    binary += String.fromCharCode(...bytes.subarray(start, start + sliceLength));
  }
  return btoa(binary);
}

const sliceLength = 8_192;
