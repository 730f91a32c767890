// Tells public hosts from local ones, addresses by their blocks (IANA special-purpose registries for IPv4 and IPv6).

/** Blocks that are refused, exceptions within them included. */
const nonGlobalBlocks = {
  // biome-ignore format: a list of short entries
  v4: [
    '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12',
    '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24',
    '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4',
  ],
  /** Only 2000::/3 is global unicast; inside it protocol assignments with Teredo, documentation and 6to4 are not. */
  v6: ['::/3', '4000::/2', '8000::/1', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
}

interface Block {
  first: number
  mask: number
}

const parseBlocks = (blocks: string[], firstBits: (address: string) => number): Block[] =>
  blocks.map((block) => {
    const [address = '', length = '0'] = block.split('/')
    return { first: firstBits(address), mask: (~0 << (32 - Number(length))) >>> 0 }
  })

const blocksV4 = parseBlocks(nonGlobalBlocks.v4, (address) => parseV4(address) ?? 0)
const blocksV6 = parseBlocks(nonGlobalBlocks.v6, parseFirstBitsV6)
const isInBlock = (blocks: Block[], bits: number) =>
  blocks.some(({ first, mask }) => (bits & mask) >>> 0 === first)

/** Takes a host in the form of the URL parser: dotted IPv4 or bracketed IPv6. Undefined for a name. */
export function isGlobalAddress(host: string): boolean | undefined {
  if (host.startsWith('[')) return !isInBlock(blocksV6, parseFirstBitsV6(host.slice(1, -1)))
  const address = parseV4(host)
  return address === undefined ? undefined : !isInBlock(blocksV4, address)
}

function parseV4(text: string): number | undefined {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return undefined
  return text.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0)
}

/** The first 32 bits are enough, because no block is narrower. */
function parseFirstBitsV6(address: string): number {
  // `::` stands for zeros, also for the second group if it follows the first.
  const [head = ''] = address.split('::')
  const [first = 0, second = 0] = head.split(':').map((group) => Number.parseInt(group || '0', 16))
  return first * 0x10000 + second
}

/** Names of this machine, of its local network, or of nothing at all (RFC 6761, 6762, 8375, 9476 and common use). */
// biome-ignore format: a list of short entries
const localSuffixes = [
  'localhost', 'localdomain', 'local', 'internal', 'intranet', 'private', 'corp', 'home', 'lan', 'svc',
  'arpa', 'test', 'example', 'invalid', 'onion', 'alt',
]

/** Why a host is not public; undefined for a public address and for a name that is not local. */
export function explainNonPublic(hostname: string): string | undefined {
  const global = isGlobalAddress(hostname)
  if (global !== undefined) return global ? undefined : 'its address is not a public one'
  const labels = hostname.split('.')
  if (hostname.length > 253 || labels.some((label) => label === '' || label.length > 63))
    return 'its host is not a full domain name'
  if (labels.length < 2) return 'its host is not a full domain name'
  if (localSuffixes.includes(labels.at(-1) ?? '')) return 'its host is a local name'
  return undefined
}
