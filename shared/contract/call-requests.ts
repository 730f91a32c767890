// Requests for instances of kind `calls` (open points, "Calls").

import * as z from 'zod'

export const RejectCall = z.object({
  id: z.string().min(1).max(256).describe('The `CallID` of the events of the call.'),
})
