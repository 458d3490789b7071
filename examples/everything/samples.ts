/** One red pixel. */
export const png: { readonly data: string; readonly mimeType: "image/png" } = {
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  mimeType: "image/png",
};

/** A short silent WAV file: 16 bit, mono, 8 kHz. */
export const wav: { readonly data: string; readonly mimeType: "audio/wav" } = {
  data: "UklGRigAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQQAAAAAAAAA",
  mimeType: "audio/wav",
};
