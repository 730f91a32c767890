// The bytes that mark the end of a transfer from the edge to a host.

/**
 * The last bytes of every complete transfer. If a request's body breaks, the runtime may end it like a complete one, so the
 * end of the stream proves nothing: a transfer without these bytes is incomplete and is not used.
 */
// biome-ignore format: a list of short entries
export const TRANSFER_END = new Uint8Array([
  0xf7, 0x50, 0x41, 0x52, 0x43, 0x45, 0x4c, 0x00, 0x9c, 0x57, 0x48, 0x4f, 0x4c, 0x45, 0x00, 0xf7,
])
