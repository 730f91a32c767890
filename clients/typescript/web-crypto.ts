// Finds WebCrypto in every runtime of the client.

type WebCrypto = typeof crypto

let loading: Promise<WebCrypto> | undefined

export const loadWebCrypto = (): Promise<WebCrypto> => (loading ??= findWebCrypto())

async function findWebCrypto(): Promise<WebCrypto> {
  if (typeof crypto !== 'undefined') return crypto
  // Node 18 has it as a module only. Not by a literal name: bundlers for browsers would look for it.
  const module = 'node:crypto'
  return (await import(module)).webcrypto
}
