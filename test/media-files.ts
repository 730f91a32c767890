// Sounds and films that tests send: those of `media-files/`, and a WAV that is made here.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Every file of sound and every film has as many. */
export const MEDIA_SECONDS = 3

export const findMediaFile = (name: string): string => join(import.meta.dirname, 'media-files', name)

export const readMediaFile = (name: string): Buffer => readFileSync(findMediaFile(name))

/** Base64 of a file that every kind of message with a sound or a film takes. */
export const film = readMediaFile('film.mp4').toString('base64')
export const voice = readMediaFile('voice.ogg').toString('base64')

/** A tone, with 16 bits a sample. */
export function createWav(seconds = MEDIA_SECONDS, rate = 16_000): Buffer {
  const bytes = Buffer.alloc(44 + seconds * rate * 2)
  bytes.write('RIFF', 0)
  bytes.writeUInt32LE(bytes.length - 8, 4)
  bytes.write('WAVEfmt ', 8)
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(rate, 24)
  bytes.writeUInt32LE(rate * 2, 28)
  bytes.writeUInt16LE(2, 32)
  bytes.writeUInt16LE(16, 34)
  bytes.write('data', 36)
  bytes.writeUInt32LE(seconds * rate * 2, 40)
  for (let at = 0; at < seconds * rate; at += 1)
    bytes.writeInt16LE(Math.round(9000 * Math.sin((at * 2 * Math.PI * 440) / rate)), 44 + at * 2)
  return bytes
}
