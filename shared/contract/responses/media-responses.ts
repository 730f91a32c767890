// The response with a file of a message.

import * as z from 'zod'

export const Download = z.object({
  mimetype: z.string(),
  fileURL: z.string().optional().describe('Valid for 24 hours; needs no header.'),
  base64Data: z.string().optional(),
})
export type Download = z.infer<typeof Download>
