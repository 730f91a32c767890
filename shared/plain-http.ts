// Finds URLs that would send secrets over a network without encryption.

/** True for `http:` or `ws:` to another machine. */
export function isClearText(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'ws:') return false
  return !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
