// How a transfer ends: bytes that travel beside the link, from the edge to a host.

/**
 * The last bytes of every transfer that is whole. The runtime may end a request whose body broke as if that had been all of
 * it, so that the end of the stream says nothing: a transfer without these bytes is torn, and is not used.
 */
export const TRANSFER_END = new Uint8Array([
  ...[0xf7, 0x50, 0x41, 0x52, 0x43, 0x45, 0x4c, 0x00],
  ...[0x9c, 0x57, 0x48, 0x4f, 0x4c, 0x45, 0x00, 0xf7],
])
