// What the page of an authorization asks the edge, on which someone allows a client of `/mcp` to get a scoped token of an instance.

import * as z from 'zod'
import { DAY, SECOND } from '../date-time.ts'
import { ScopedTokenRequest, type TokenScope } from './scoped-token.ts'

/** A client that asks for more has no reason to. */
const MAX_QUERY_LENGTH = 8192

/** The query as the client wrote it: the edge reads it, the page does not. */
export const AuthorizationQuestion = z.object({ query: z.string().max(MAX_QUERY_LENGTH) })
export type AuthorizationQuestion = z.infer<typeof AuthorizationQuestion>

/** There is no renewal without a person, so the longest is what a person would still remember. */
const MAX_LIFETIME_SECONDS = (365 * DAY) / SECOND

export const AuthorizationConsent = AuthorizationQuestion.extend({
  /** The id of the instance, from an admin. */
  instance: z.string().optional(),
  scope: ScopedTokenRequest.shape.scope,
  chats: ScopedTokenRequest.shape.chats,
  expiresIn: z.int().min(1).max(MAX_LIFETIME_SECONDS),
})
export type AuthorizationConsent = z.infer<typeof AuthorizationConsent>

/** What is shown before anything is allowed. */
export interface AuthorizationDetails {
  /** As the client calls itself. */
  name: string
  /** The host whose document describes the client; empty if only the client does. */
  host: string
  /** The host that the browser is sent back to. */
  returnHost: string
  /** It is a program on the person's own computer. */
  isLocal: boolean
  /** What may be allowed: at most what the client asks for. */
  scopes: TokenScope[]
  /** Where the browser goes if the person refuses. */
  refusal: string
}

export interface AuthorizationGranted {
  /** Where the browser goes, with the code. */
  returnTo: string
}
