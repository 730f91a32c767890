// A 401 names the header that is required and says whether it was sent. It reveals nothing about the token.

import { Fault } from '@msgnet/shared/fault-table.ts'

/** A header that was sent twice arrives as one value with a comma in it. */
export function createUnauthorizedFault(header: string, sent: string | undefined): Fault {
  if (!sent) return new Fault('unauthorized', `The header ${header} is missing.`)
  if (sent.includes(',')) return new Fault('unauthorized', `The header ${header} was given more than once.`)
  return new Fault('unauthorized', `The token in the header ${header} is not known.`)
}
