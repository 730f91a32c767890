// Responses with the proxy of an instance (open points, "Proxy").

import * as z from 'zod'

export const ProxyState = z.object({
  enabled: z.boolean().describe('The next connection goes by it.'),
  proxy_url: z.string().describe('With `***` in place of a password; empty when there is none.'),
})
export type ProxyState = z.infer<typeof ProxyState>
