// Frames: a three-byte length before each, and the few bytes with which a client opens the stream.
const PROLOGUE = Buffer.from([0x57, 0x41, 6, 3])
const ROUTED = Buffer.from('ED')
const LENGTH = 3

export { PROLOGUE }

export function encodeFrame(body: Uint8Array): Buffer {
  const framed = Buffer.allocUnsafe(LENGTH + body.length)
  framed.writeUIntBE(body.length, 0, LENGTH)
  framed.set(body, LENGTH)
  return framed
}

export class FrameReader {
  #pending: Buffer = Buffer.alloc(0)
  #opened = false
  /** The routing information that an earlier connection received; clients open the stream with it. */
  routing: Buffer | undefined

  /** The frames that are complete with this chunk. Throws when the stream is opened wrongly. */
  addChunk(chunk: Buffer): Buffer[] {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
    if (!this.#opened && !this.#open()) return []
    const frames: Buffer[] = []
    while (this.#pending.length >= LENGTH) {
      const end = LENGTH + this.#pending.readUIntBE(0, LENGTH)
      if (this.#pending.length < end) break
      frames.push(this.#pending.subarray(LENGTH, end))
      this.#pending = this.#pending.subarray(end)
    }
    return frames
  }

  #open(): boolean {
    let start = 0
    if (this.#pending.subarray(0, ROUTED.length).equals(ROUTED)) {
      // Routing information from an earlier connection: two bytes of version, three of length, then itself.
      if (this.#pending.length < 7) return false
      start = 7 + this.#pending.readUIntBE(4, LENGTH)
    }
    if (this.#pending.length < start + PROLOGUE.length) return false
    if (start > 0) this.routing = Buffer.from(this.#pending.subarray(7, start))
    const prologue = this.#pending.subarray(start, start + PROLOGUE.length)
    if (!prologue.equals(PROLOGUE)) throw new Error('the stream does not open with the prologue')
    this.#pending = this.#pending.subarray(start + PROLOGUE.length)
    this.#opened = true
    return true
  }
}
