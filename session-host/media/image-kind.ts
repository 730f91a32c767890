// Finds the kind of an image by its first bytes, because the decoder would also read unwanted formats (SVG, TIFF, PDF).

import { open } from 'node:fs/promises'

const SIGNATURES = {
  jpeg: [[0xff, 0xd8, 0xff]],
  png: [[0x89, 0x50, 0x4e, 0x47]],
  gif: [[0x47, 0x49, 0x46, 0x38]],
  // "RIFF", four bytes of length, "WEBP".
  webp: [[0x52, 0x49, 0x46, 0x46], [], [0x57, 0x45, 0x42, 0x50]],
} as const

export type ImageKind = keyof typeof SIGNATURES
/** The number of bytes that decide the kind. */
const FIRST_BYTES = 12

export const detectImageKind = (bytes: Uint8Array): ImageKind | undefined =>
  (Object.keys(SIGNATURES) as ImageKind[]).find((kind) =>
    SIGNATURES[kind].every((words, place) => words.every((byte, at) => bytes[4 * place + at] === byte)),
  )

/** That of the file at this path. */
export async function readImageKind(path: string): Promise<ImageKind | undefined> {
  const handle = await open(path)
  try {
    const { buffer, bytesRead } = await handle.read(new Uint8Array(FIRST_BYTES), 0, FIRST_BYTES)
    return detectImageKind(buffer.subarray(0, bytesRead))
  } finally {
    await handle.close()
  }
}
