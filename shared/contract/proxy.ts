// The proxy of an instance: by which way its host reaches the network (open points, "Proxy").

import * as z from 'zod'

const SCHEMES = ['http:', 'https:', 'socks5:']

/** Scheme, host and nothing behind them; user and password where the proxy asks for them. */
function isProxyUrl(text: string): boolean {
  const url = URL.parse(text)
  // The parser drops blanks and control characters silently.
  if (!url || !/^[\x21-\x7e]+$/.test(text) || !/^\w+:\/\/[^/]/.test(text)) return false
  return (
    SCHEMES.includes(url.protocol) &&
    url.hostname !== '' &&
    /^\/?$/.test(url.pathname + url.search + url.hash)
  )
}

export const ProxyRequest = z.object({
  enable: z.boolean().describe('Whether the next connection goes by it.'),
  proxy_url: z
    .union([
      z.literal(''),
      z
        .string()
        .max(2048)
        .refine(isProxyUrl, 'must be an http, https or socks5 URL of scheme, host and port'),
    ])
    .default('')
    .describe(
      '`http://`, `https://` or `socks5://`, with user and password if it asks for them. Without it the one that is there stays.',
    ),
})
