// Requests for the proxy by which an instance reaches the network (open points, "Proxy").

import * as z from 'zod'
import { parseProxyUrl } from '../proxy-address.ts'

const isProxyUrl = (text: string): boolean => parseProxyUrl(text) !== undefined

export const ProxyRequest = z.object({
  enable: z.boolean().describe('Whether the next connection uses the proxy.'),
  proxy_url: z
    .union([
      z.literal(''),
      z
        .string()
        .max(2048)
        .refine(isProxyUrl, 'must be an http, https or socks5 URL of scheme, host and port')
        .meta({
          pattern: '^(https?|socks5)://[\\x21-\\x7e]+$',
          examples: ['http://proxy.example.com:8080', 'socks5://shop:secret@proxy.example.com:1080/'],
        }),
    ])
    .default('')
    .describe(
      '`http://`, `https://` or `socks5://`, with user and password if the proxy requires them. Without it, the present URL stays.',
    ),
})
