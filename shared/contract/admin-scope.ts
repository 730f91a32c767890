// The scopes of admin tokens. Each scope includes the one before it.

import * as z from 'zod'

export const scopes = ['read', 'operate', 'admin'] as const
export const Scope = z.enum(scopes)
export type Scope = z.infer<typeof Scope>

/** The scope that an admin route needs: the declared one, or else `read` to read and `operate` to change. */
export const getRequiredScope = ({ method, scope }: { method: string; scope?: Scope }): Scope =>
  scope ?? (method === 'GET' ? 'read' : 'operate')

export const includesScope = (granted: Scope, required: Scope): boolean =>
  scopes.indexOf(granted) >= scopes.indexOf(required)
