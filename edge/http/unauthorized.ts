// A 401 names the header that is required and says whether it was sent. It reveals nothing about the token.

import { Fault } from '@msgnet/shared/fault-table.ts'

export const BEARER_PLACE = 'header Authorization: Bearer'

/** By a header of the contract: the place that the caller had its token in, if a form has moved it from there. */
export type TokenPlaces = Readonly<Record<string, string>>

const places = new WeakMap<Request, TokenPlaces>()

export const rememberPlaces = (request: Request, found: TokenPlaces): void => void places.set(request, found)

/** A header that was sent twice arrives as one value with a comma in it. */
export function createUnauthorizedFault(request: Request, header: string, sent: string | undefined): Fault {
  const place = places.get(request)?.[header] ?? `header ${header}`
  if (!sent) return new Fault('unauthorized', `The ${place} is missing.`)
  if (sent.includes(',')) return new Fault('unauthorized', `The ${place} was given more than once.`)
  return new Fault('unauthorized', `The token in the ${place} is not known.`)
}
