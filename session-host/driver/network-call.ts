// Calls as a driver reports them.

import type { Person } from './person.ts'

export interface NetworkCall {
  callid: string
  creator: Person
  /** Empty in a call between two people. */
  group: string
  isVideo: boolean
  isGroup: boolean
  state: 'offer' | 'ringing' | 'accept' | 'reject' | 'timeout' | 'terminate'
  /** Milliseconds since the epoch. */
  at: number
}
