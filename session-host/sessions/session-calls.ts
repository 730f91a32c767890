// Calls of a session of kind `calls`: each is stored, and each of its states is reported once.

import type { CallRecord } from '@msgnet/shared/contract/responses/call-responses.ts'
import type { NetworkCall } from '../driver/driver.ts'
import { type CallRow, findCall, storeCall } from '../store/call-store.ts'
import type { Store } from '../store/host-store.ts'
import type { SessionRow } from '../store/session-store.ts'
import { chooseJid } from './group-records.ts'
import type { Intake } from './intake.ts'
import { createEvent } from './message-records.ts'

export class SessionCalls {
  readonly #store: Store
  readonly #instance: string
  readonly #kind: string
  readonly #intake: Intake

  constructor(store: Store, { instance, kind }: SessionRow, intake: Intake) {
    this.#store = store
    this.#instance = instance
    this.#kind = kind
    this.#intake = intake
  }

  findCall(callid: string): Promise<CallRow | undefined> {
    return findCall(this.#store, this.#instance, callid)
  }

  /** An event of the network. Only instances of kind `calls` report calls. */
  handleCall(call: NetworkCall): void {
    if (this.#kind !== 'calls') return
    const { callid, creator, at } = call
    this.#storeState({
      instance: this.#instance,
      callid,
      creator: creator.id,
      at,
      record: toCallRecord(call),
    })
  }

  /** Our own rejection: the network reports it to the other devices only. */
  recordRejection(row: CallRow): void {
    this.#storeState({ ...row, record: { ...row.record, State: 'reject', Timestamp: Date.now() } })
  }

  #storeState(row: CallRow): void {
    this.#intake.enqueue(async (batch) => {
      const known = await findCall(this.#store, this.#instance, row.callid)
      if (known && isRepeated(row.record.State, known.record.State)) return
      for (const statement of storeCall(this.#store, row)) batch.addStatement(statement)
      batch.addEvents(createEvent('call', { event: row.record }))
    })
  }
}

/** The network sends again what was not acknowledged: a call that has ended does not ring once more. */
const isRepeated = (state: CallRecord['State'], known: CallRecord['State']): boolean =>
  state === known || state === 'offer' || (state === 'ringing' && known !== 'offer')

const toCallRecord = ({ callid, creator, group, isVideo, isGroup, state, at }: NetworkCall): CallRecord => ({
  CallID: callid,
  From: chooseJid(creator),
  CallCreator: chooseJid(creator),
  GroupJID: group,
  IsVideo: isVideo,
  IsGroup: isGroup,
  State: state,
  Reason: state === 'timeout' ? 'timeout' : '',
  Timestamp: at,
})
