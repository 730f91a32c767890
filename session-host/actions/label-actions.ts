// Actions on the labels of a business account.

import { labelColors } from '@msgnet/shared/contract/label-colors.ts'
import type { TextResponse } from '@msgnet/shared/contract/responses/chat-responses.ts'
import { formatDateTime } from '@msgnet/shared/date-time.ts'
import { createDoneOutcome, createRefusal, type Outcome } from '@msgnet/shared/wire/outcome.ts'
import type { ActionInput } from '@msgnet/shared/wire/session-actions.ts'
import type { Connection } from '../driver/driver.ts'
import { type LabelRow, listChatLabels, listLabels } from '../store/setting-store.ts'
import { type ActionContext, type ActionTable, toFailedOutcome } from './action.ts'
import { checkSettingsReady } from './settings-ready.ts'

export const labelActions: ActionTable<'label'> = {
  async 'label.list'({ session }) {
    const { store, instance, state } = session
    return createDoneOutcome((await listLabels(store, instance)).map(toLabelRecord(state.owner)))
  },

  async 'label.edit'(context, request) {
    const { session, network, deadline } = context
    if (!network) return createRefusal('not_connected')
    const notReady = await checkSettingsReady(network, deadline)
    if (notReady) return notReady
    return session.settings.runLabelChange(() => saveLabel(context, network, request))
  },

  async 'label.chat'({ session, network, deadline }, { number, labelids, add_labelid, remove_labelid }) {
    if (!network) return createRefusal('not_connected')
    const notReady = await checkSettingsReady(network, deadline)
    if (notReady) return notReady
    const { store, instance } = session
    const known = new Set((await listLabels(store, instance)).map((label) => label.labelid))
    const chat = await network.findKnownIds(number)
    const present = await listChatLabels(store, instance, chat.pn || chat.id)
    const adding = add_labelid ? [add_labelid] : (labelids ?? []).filter((id) => !present.includes(id))
    if (adding.some((id) => !known.has(id))) return createRefusal('invalid_id', 'There is no such label.')
    const dropping = labelids ? present.filter((id) => !labelids.includes(id)) : [remove_labelid ?? []].flat()
    const editions: { labelid: string; action: 'add' | 'remove' }[] = []
    for (const [ids, action] of [[adding, 'add'] as const, [dropping, 'remove'] as const]) {
      for (const labelid of ids) {
        const labeled = action === 'add'
        const answer = await network.settings.labelChat(labelid, chat, labeled, deadline)
        if (answer.kind !== 'done') return toFailedOutcome(answer)
        await session.settings.applyChanges({ kind: 'label_chat', labelid, chat, labeled })
        editions.push({ labelid, action })
      }
    }
    return createDoneOutcome({ response: 'Labels updated', editions })
  },
}

async function saveLabel(
  { session, deadline }: ActionContext,
  network: Connection,
  { labelid, name, color, delete: deleted }: ActionInput<'label.edit'>,
): Promise<Outcome<TextResponse>> {
  const known = await listLabels(session.store, session.instance)
  const creating = !labelid || labelid === 'new'
  const id = creating ? findNextId(known) : labelid
  const before = known.find((one) => one.labelid === id)
  if (!creating && !before) return createRefusal('invalid_id', 'labelid: there is no such label')
  const label = { name: name ?? before?.name ?? '', color: color ?? before?.color ?? 0, deleted }
  const answer = await network.settings.saveLabel(id, label, deadline)
  if (answer.kind !== 'done') return toFailedOutcome(answer)
  await session.settings.applyChanges({ kind: 'label', labelid: id, ...label })
  return createDoneOutcome({ response: `Label ${id} ${deleted ? 'deleted' : 'saved'}` })
}

/** Other programs may have chosen ids that are no numbers. */
const findNextId = (labels: LabelRow[]) =>
  `${1 + Math.max(0, ...labels.map(({ labelid }) => Number(labelid)).filter(Number.isSafeInteger))}`

const toLabelRecord =
  (owner: string) =>
  ({ labelid, name, color, createdAt, updatedAt }: LabelRow) => ({
    id: `${owner}:${labelid}`,
    labelid,
    name,
    color,
    owner,
    colorHex: labelColors[color] ?? '',
    created: formatDateTime(createdAt),
    updated: formatDateTime(updatedAt),
  })
