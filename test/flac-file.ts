// FLAC files (RFC 9639) of silence, so small that an hour fits into 40 kB.

/** Samples of a block of which all are equal. */
const LARGEST_BLOCK = 65_535
const BITS = 16

/** `rate`: what the head says, in Hz, whatever the samples are; up to 65,535. */
export function createFlac({ rate, samples }: { rate: number; samples: number }): Buffer {
  const blocks: Buffer[] = []
  for (let left = samples; left > 0; left -= LARGEST_BLOCK)
    blocks.push(createBlock(blocks.length, Math.min(left, LARGEST_BLOCK), rate))
  return Buffer.concat([Buffer.from('fLaC'), createStreamInfo(rate, samples), ...blocks])
}

/** One channel. The digest of the samples is left out. */
function createStreamInfo(rate: number, samples: number): Buffer {
  const bytes = Buffer.alloc(38)
  // The only block of metadata, and so the last.
  bytes.writeUInt32BE(0x80_00_00_22, 0)
  bytes.writeUInt16BE(LARGEST_BLOCK, 4)
  bytes.writeUInt16BE(LARGEST_BLOCK, 6)
  const packed = (BigInt(rate) << 44n) | (BigInt(BITS - 1) << 36n) | BigInt(samples)
  bytes.writeBigUInt64BE(packed, 14)
  return bytes
}

function createBlock(place: number, samples: number, rate: number): Buffer {
  const sizes = Buffer.alloc(4)
  sizes.writeUInt16BE(samples - 1)
  sizes.writeUInt16BE(rate, 2)
  // Sync, and a fixed size of blocks; size and rate in two bytes each behind the number; one channel of 16 bits.
  const head = Buffer.concat([Buffer.of(0xff, 0xf8, 0x7d, 0x08), encodeNumber(place), sizes])
  const checked = Buffer.concat([head, Buffer.of(computeChecksum(head, 8, 0x07))])
  // A subframe in which all samples have the value 0.
  const frame = Buffer.concat([checked, Buffer.of(0, 0, 0)])
  const sum = Buffer.alloc(2)
  sum.writeUInt16BE(computeChecksum(frame, 16, 0x8005))
  return Buffer.concat([frame, sum])
}

/** As UTF-8 does it, up to 11 bits. */
const encodeNumber = (value: number): Buffer =>
  value < 0x80 ? Buffer.of(value) : Buffer.of(0xc0 | (value >> 6), 0x80 | (value & 0x3f))

function computeChecksum(bytes: Buffer, width: 8 | 16, polynomial: number): number {
  const [top, mask] = [1 << (width - 1), (1 << width) - 1]
  let sum = 0
  for (const byte of bytes) {
    sum ^= byte << (width - 8)
    for (let bit = 0; bit < 8; bit += 1) sum = (sum & top ? (sum << 1) ^ polynomial : sum << 1) & mask
  }
  return sum
}
