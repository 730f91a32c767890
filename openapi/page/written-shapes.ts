// The shape of a request as the page has it: without what is the same for most routes.

import type { RequestShape } from '../samples/sample-request.ts'

const usual = {
  auth: 'instance',
  keyed: false,
  query: [],
  requiredQuery: [],
  headers: [],
  bodyType: 'application/json',
  responseKind: 'json',
} satisfies Partial<RequestShape>

export type WrittenShape = Pick<RequestShape, 'method' | 'path'> & Partial<RequestShape>

export const writeShape = (shape: RequestShape): WrittenShape =>
  Object.fromEntries(
    Object.entries(shape).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(usual[name as keyof typeof usual]),
    ),
  ) as WrittenShape

export const readShape = (written: WrittenShape): RequestShape => ({ ...usual, ...written })
