// Requests about groups. There are none yet: an account takes part in no group, and no group is found.
import { stanza } from '../codec/stanza.ts'
import { Refusal } from '../network/refusal.ts'
import { asking, type RequestTable } from './request.ts'

export const groupRequests: RequestTable = {
  'w:g2 get participating'(request) {
    asking(request)
    return [stanza('groups')]
  },

  'w:g2 get query'(request) {
    asking(request)
    throw new Refusal(404)
  },
}
