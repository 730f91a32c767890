// What an admin token may do: each scope does what the one before it does, and more.

import * as z from 'zod'

export const scopes = ['read', 'operate', 'admin'] as const
export const Scope = z.enum(scopes)
export type Scope = z.infer<typeof Scope>

/** What a route of the admin wants: what it says, else `read` to look and `operate` to change. */
export const scopeOf = ({ method, scope }: { method: string; scope?: Scope }): Scope =>
  scope ?? (method === 'GET' ? 'read' : 'operate')

export const suffices = (held: Scope, wanted: Scope): boolean =>
  scopes.indexOf(held) >= scopes.indexOf(wanted)
