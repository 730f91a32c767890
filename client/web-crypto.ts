// Finds WebCrypto in every runtime of the client.

type WebCrypto = typeof crypto

let found: Promise<WebCrypto> | undefined

export const webCrypto = (): Promise<WebCrypto> => (found ??= find())

async function find(): Promise<WebCrypto> {
  if (typeof crypto !== 'undefined') return crypto
  // Node 18 has it as a module only. Not by a literal name: bundlers for browsers would look for it.
  const module = 'node:crypto'
  return (await import(module)).webcrypto
}
