// Reads bodies of callers: fields that must be there, in words that Evolution's own clients know.

import { createInvalid } from './evolution-errors.ts'

export type Body = Record<string, unknown>

export const isObject = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An empty object if it is none. */
export const readObject = (value: unknown): Body => (isObject(value) ? value : {})

/** Empty if it is none. Numbers count, because some programs send them so. */
export const readText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

/** The first of these fields that is there. */
export const readFirst = (body: Body, ...names: string[]): unknown =>
  names.map((name) => body[name]).find((value) => value !== undefined && value !== null)

/** Throws for the first that is missing. */
export function requireFields(body: Body, ...names: string[]): void {
  for (const name of names)
    if (body[name] === undefined || body[name] === null || body[name] === '')
      throw createInvalid(`instance requires property "${name}"`)
}
