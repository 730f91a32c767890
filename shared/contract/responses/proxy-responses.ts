// Responses with the proxy of an instance (open points, "Proxy").

import * as z from 'zod'

export const ProxyState = z.object({
  enabled: z.boolean().describe('The next connection uses the proxy.'),
  proxy_url: z.string().describe('The URL, with `***` instead of a password; empty if there is none.'),
})
export type ProxyState = z.infer<typeof ProxyState>
