// Finds the kind of an image by its first bytes, because the decoder would also read unwanted formats (SVG, TIFF, PDF).

const SIGNATURES = {
  jpeg: [[0xff, 0xd8, 0xff]],
  png: [[0x89, 0x50, 0x4e, 0x47]],
  gif: [[0x47, 0x49, 0x46, 0x38]],
  // "RIFF", four bytes of length, "WEBP".
  webp: [[0x52, 0x49, 0x46, 0x46], [], [0x57, 0x45, 0x42, 0x50]],
} as const

export type ImageKind = keyof typeof SIGNATURES
/** The number of bytes that decide the kind. */
export const FIRST_BYTES = 12

export const detectImageKind = (bytes: Uint8Array): ImageKind | undefined =>
  (Object.keys(SIGNATURES) as ImageKind[]).find((kind) =>
    SIGNATURES[kind].every((words, place) => words.every((byte, at) => bytes[4 * place + at] === byte)),
  )
