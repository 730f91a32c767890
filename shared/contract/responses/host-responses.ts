// Responses with session hosts, for the admin.

import * as z from 'zod'
import { DateTime, DateTimeOrNever } from './response-fields.ts'

export const Host = z.object({
  id: z.uuid(),
  region: z.string(),
  store: z
    .string()
    .describe(
      'The store of its sessions: hosts with the same store take over sessions from each other. Empty until the host has reported it.',
    ),
  live: z.boolean().describe('Its lease is valid.'),
  draining: z.boolean().describe('It gets no new instances until it restarts or its draining is ended.'),
  slots: z
    .int()
    .describe(
      'The maximum number of its sessions: the configured number, or the number that the host reports if that is lower.',
    ),
  sessions: z.int(),
  lag: z.int().describe('Its event-loop lag at the last heartbeat, in milliseconds.'),
  leaseUntil: DateTimeOrNever,
  createdAt: DateTime,
})
export type Host = z.infer<typeof Host>

export const HostRegistered = z.object({
  host: Host,
  token: z.string().describe('`mgh_` and 43 characters. Shown only once; only its digest is stored.'),
})
export type HostRegistered = z.infer<typeof HostRegistered>

export const HostList = z.object({ hosts: z.array(Host) })
export type HostList = z.infer<typeof HostList>

export const HostDrained = z.object({ response: z.string(), host: Host })
export type HostDrained = z.infer<typeof HostDrained>

export const HostResized = z.object({ host: Host })
export type HostResized = z.infer<typeof HostResized>

export const HostDeleted = z.object({ response: z.string() })
export type HostDeleted = z.infer<typeof HostDeleted>
