// What registers a session host.

import * as z from 'zod'

export const HostRequest = z.object({
  region: z
    .string()
    .regex(/^[\x21-\x7e]{1,64}$/, 'must be 1 to 64 visible ASCII characters')
    .describe('Where it runs, in a word of yours.'),
})
