// Which literal addresses are reachable from anywhere (IANA special-purpose registries for IPv4 and IPv6).

/** Network and prefix length. Everything in them is refused, exceptions within them included. */
const notGlobalV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
].map((block) => {
  const [network = '', length = '0'] = block.split('/')
  return { network: parseV4(network) ?? 0, mask: (~0 << (32 - Number(length))) >>> 0 }
})

/** Only 2000::/3 is global unicast; inside it these are not: protocol assignments with Teredo, documentation, 6to4. */
const notGlobalV6 = [
  { first: 0x2001, second: 0x0000, secondMask: 0xfe00 },
  { first: 0x2001, second: 0x0db8, secondMask: 0xffff },
  { first: 0x2002, second: 0x0000, secondMask: 0x0000 },
  { first: 0x3fff, second: 0x0000, secondMask: 0xf000 },
]

/** A host as the URL parser leaves it: dotted IPv4 or bracketed IPv6. Undefined for a name. */
export function isGlobalAddress(host: string): boolean | undefined {
  if (host.startsWith('[')) return isGlobalV6(host.slice(1, -1))
  const address = parseV4(host)
  if (address === undefined) return undefined
  return !notGlobalV4.some(({ network, mask }) => (address & mask) >>> 0 === network)
}

function parseV4(text: string): number | undefined {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return undefined
  return text.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0)
}

function isGlobalV6(address: string): boolean {
  // Global unicast never starts with zeros, so the first two groups stand before any `::`, or the second is zero.
  const [head = ''] = address.split('::')
  const [first = 0, second = 0] = head.split(':').map((group) => Number.parseInt(group || '0', 16))
  if (first >> 13 !== 1) return false
  return !notGlobalV6.some((block) => first === block.first && (second & block.secondMask) === block.second)
}
