// What kind of image a file is, by its first bytes: the decoder would also read what nobody asked it to (SVG, TIFF, PDF).

const SIGNATURES = {
  jpeg: [[0xff, 0xd8, 0xff]],
  png: [[0x89, 0x50, 0x4e, 0x47]],
  gif: [[0x47, 0x49, 0x46, 0x38]],
  // "RIFF", four bytes of length, "WEBP".
  webp: [[0x52, 0x49, 0x46, 0x46], [], [0x57, 0x45, 0x42, 0x50]],
} as const

export type ImageKind = keyof typeof SIGNATURES
/** As many bytes as it takes to tell. */
export const FIRST_BYTES = 12

export const imageKind = (bytes: Uint8Array): ImageKind | undefined =>
  (Object.keys(SIGNATURES) as ImageKind[]).find((kind) =>
    SIGNATURES[kind].every((words, place) => words.every((byte, at) => bytes[4 * place + at] === byte)),
  )
