// Everything a session can be asked to do: the input that travels and the result that comes back. Both sides read this table.

import * as z from 'zod'
import { Kind } from '../contract/instance.ts'
import { ChatRead, type MessageRecord, SendText } from '../contract/message.ts'
import type { SessionState } from './session-state.ts'

// The schemas that read a request at the edge read it again at the host: their transforms leave their own output as it is.
export const actionInputs = {
  /** Opens the session, or answers its present state. `phone` (digits) asks for a pairing code in place of QR codes. */
  'session.connect': z.object({ kind: Kind, phone: z.string().optional(), waitMs: z.int().positive() }),
  /** Closes the socket and opens it again with the same credential. */
  'session.restart': z.object({ kind: Kind, waitMs: z.int().positive() }),
  /** Unlinks the device and forgets its credential. */
  'session.disconnect': z.object({}),
  /** The same, and forgets everything else that the host holds of the instance. */
  'session.delete': z.object({}),
  /** `messageid` was made by the edge: the network is asked under this id and no other. */
  'message.sendText': SendText.extend({ messageid: z.string().min(1) }),
  'chat.read': ChatRead,
} as const

export interface ActionResults {
  'session.connect': SessionState
  'session.restart': SessionState
  'session.disconnect': { unlinked: boolean; state: SessionState }
  'session.delete': { unlinked: boolean }
  'message.sendText': MessageRecord
  'chat.read': { marked: number }
}

export type ActionName = keyof typeof actionInputs
export const actionNames = Object.keys(actionInputs) as [ActionName, ...ActionName[]]
export type ActionInput<A extends ActionName> = z.infer<(typeof actionInputs)[A]>
export type ActionResult<A extends ActionName> = ActionResults[A]
