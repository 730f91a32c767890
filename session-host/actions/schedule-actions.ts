// Actions on messages that are sent at a time: scheduling one, listing those that wait, cancelling one.

import { limits } from '@msgnet/shared/contract/limits.ts'
import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { createDoneOutcome, createRefusal, type Outcome } from '@msgnet/shared/wire/outcome.ts'
import {
  type ActionInput,
  actionInputs,
  type SchedulableAction,
} from '@msgnet/shared/wire/session-actions.ts'
import { findStoreFault } from '../process/store-fault.ts'
import { type Addition, MAX_FILE_BYTES } from '../sessions/session-schedule.ts'
import type { Action, ActionContext, ActionTable, ScheduledStage } from './action.ts'
import { mediaActions } from './media-actions.ts'
import { menuActions } from './menu-actions.ts'
import { sendActions } from './send-message.ts'

type Name = 'message.schedule' | 'message.listScheduled' | 'message.cancelScheduled'

const schedulable: { [Name in SchedulableAction]: Action<Name> } = {
  'message.sendText': sendActions['message.sendText'],
  'message.sendLocation': sendActions['message.sendLocation'],
  'message.sendEvent': sendActions['message.sendEvent'],
  'message.sendContact': sendActions['message.sendContact'],
  'message.sendMenu': menuActions['message.sendMenu'],
  'message.sendMedia': mediaActions['message.sendMedia'],
  'message.sendStatus': mediaActions['message.sendStatus'],
}

/** Runs the send of a message, by the input that was stored. Undefined if this version cannot read it. */
export function runScheduledAction<Name extends SchedulableAction>(
  context: ActionContext,
  action: Name,
  input: unknown,
): Promise<Outcome<MessageRecord>> | undefined {
  const parsed = Object.hasOwn(schedulable, action) ? actionInputs[action].safeParse(input) : undefined
  if (!parsed?.success) return undefined
  return schedulable[action](context, parsed.data as ActionInput<Name>)
}

export const scheduleActions: Pick<ActionTable<'message'>, Name> = {
  async 'message.schedule'(context, request) {
    const { session } = context
    const { schedule, instance } = session
    const { action, messageid, sendAt } = request
    const name = { instance, messageid }
    const size = await storeFile(context, request)
    if (typeof size !== 'number') return size
    const input = { ...request.input, messageid, parcel: '', async: false, sendAt: undefined }
    const stage: ScheduledStage = {
      kind: 'scheduled',
      openFile: () => schedule.files.openFile(name),
      async store(pending) {
        const dueAt = Date.parse(sendAt)
        const scheduledFor = new Date(dueAt).toISOString()
        const record: MessageRecord = { ...pending, status: 'Scheduled', scheduledFor }
        const { requestId = null, traceparent = null } = context.cause ?? {}
        const row = { ...name, dueAt, action, input, record, fileBytes: size, requestId, traceparent }
        const addition = await schedule.add(row, context.outcomeCommit)
        return addition === 'added' ? createDoneOutcome(record) : refusals[addition]
      },
    }
    const outcome = await runScheduledAction({ ...context, timed: stage }, action, input)
    if (outcome?.kind !== 'done' && size > 0) await schedule.files.deleteFile(name)
    return outcome ?? createRefusal('invalid_body', 'The session host cannot parse this request.')
  },

  async 'message.listScheduled'({ session, chats }, page) {
    const found = await session.schedule.listPage(page, chats?.choice)
    return found
      ? createDoneOutcome(found)
      : createRefusal(
          'message_not_found',
          'afterId: it is not scheduled any more. Start with the first page.',
        )
  },

  async 'message.cancelScheduled'({ session }, { id }) {
    const ended = await session.schedule.cancel(id)
    if (ended === 'cancelled') return createDoneOutcome({ cancelled: true as const })
    return ended === 'begun'
      ? createRefusal('session_conflict', 'The message is being sent, or was sent.')
      : createRefusal('message_not_found', 'No message with this id is scheduled.')
  },
}

const refusals = {
  'too many': {
    ...createRefusal(
      'quota_reached',
      `${limits.maxScheduled} messages of the instance are scheduled already.`,
    ),
    errorKey: 'too_many_scheduled',
  },
  'files too large': {
    ...createRefusal('quota_reached', 'The files of scheduled messages of the instance take too much space.'),
    errorKey: 'scheduled_files_too_large',
  },
} satisfies Record<Exclude<Addition, 'added'>, Outcome>

/** Its size; 0 if the message has none. */
async function storeFile(
  { session, transfers, deadline, log }: ActionContext,
  { messageid, parcel }: ActionInput<'message.schedule'>,
): Promise<number | Outcome<never>> {
  if (parcel === '') return 0
  const { schedule, instance } = session
  const name = { instance, messageid }
  const body = await transfers.streamFile(parcel, deadline)
  const missing = createRefusal('media_unavailable', 'The file did not arrive whole at the session host.')
  if (!body) return missing
  try {
    const size = await schedule.files.storeFile(name, body, MAX_FILE_BYTES)
    if (size !== undefined) return size
    await schedule.files.deleteFile(name)
    return refusals['files too large']
  } catch (error) {
    log.warn({ error, messageid }, 'failed to store file of scheduled message')
    await schedule.files.deleteFile(name).catch(() => undefined)
    return findStoreFault(error) ? createRefusal('storage_unavailable') : missing
  }
}
