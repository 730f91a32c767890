// Which addresses would carry what is secret over a network in the clear.

/** `http:` or `ws:` to another machine than this one. */
export function isClearText(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'ws:') return false
  return !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
