// Requests for instances of kind `calls` (open points, "Calls").

import * as z from 'zod'
import { limitText } from './text-fields.ts'

export const RejectCall = z.object({
  id: limitText(256).min(1).describe('The `CallID` of the events of the call.'),
})
