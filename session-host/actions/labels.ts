// Actions on the labels of a business account.

import { dateTime } from '../../shared/clock.ts'
import { done, refused } from '../../shared/wire/outcome.ts'
import { type LabelRow, labelsOf, listLabels } from '../store/settings.ts'
import { type ActionTable, notDone } from './action.ts'
import { settingsReady } from './settings-ready.ts'

/** The twenty colors that phones show. */
const COLORS = [
  ...['#ff9485', '#64c4ff', '#ffd429', '#dfaef0', '#99b6c1', '#55ccb3', '#ff9dff', '#d3a91d', '#6d7cce'],
  ...['#d7e752', '#00d0e2', '#ffc5c7', '#93ceac', '#f74848', '#00a0f2', '#83e422', '#ffaf04', '#b5ebff'],
  ...['#9ba6ff', '#9368cf'],
]

export const labelActions: ActionTable<'label'> = {
  async 'label.list'({ session }) {
    const { store, instance, state } = session
    return done((await listLabels(store, instance)).map(recordOf(state.owner)))
  },

  async 'label.edit'({ session, network, deadline }, { labelid, name, color, delete: deleted }) {
    if (!network) return refused('not_connected')
    const notReady = await settingsReady(network, deadline)
    if (notReady) return notReady
    const known = await listLabels(session.store, session.instance)
    const making = !labelid || labelid === 'new'
    const id = making ? nextId(known) : labelid
    const before = known.find((one) => one.labelid === id)
    if (!making && !before) return refused('invalid_id', 'labelid: there is no such label')
    const label = { name: name ?? before?.name ?? '', color: color ?? before?.color ?? 0, deleted }
    const answer = await network.settings.label(id, label, deadline)
    if (answer.kind !== 'done') return notDone(answer)
    await session.settings.apply({ kind: 'label', labelid: id, ...label })
    return done({ response: `Label ${id} ${deleted ? 'deleted' : 'saved'}` })
  },

  async 'label.chat'({ session, network, deadline }, { number, labelids, add_labelid, remove_labelid }) {
    if (!network) return refused('not_connected')
    const notReady = await settingsReady(network, deadline)
    if (notReady) return notReady
    const { store, instance } = session
    const known = new Set((await listLabels(store, instance)).map((label) => label.labelid))
    const chat = await network.knownAs(number)
    const present = await labelsOf(store, instance, chat.pn || chat.id)
    const adding = add_labelid ? [add_labelid] : (labelids ?? []).filter((id) => !present.includes(id))
    if (adding.some((id) => !known.has(id))) return refused('invalid_id', 'There is no such label.')
    const dropping = labelids ? present.filter((id) => !labelids.includes(id)) : [remove_labelid ?? []].flat()
    const editions: { labelid: string; action: 'add' | 'remove' }[] = []
    for (const [ids, action] of [[adding, 'add'] as const, [dropping, 'remove'] as const]) {
      for (const labelid of ids) {
        const labeled = action === 'add'
        const answer = await network.settings.labelChat(labelid, chat, labeled, deadline)
        if (answer.kind !== 'done') return notDone(answer)
        await session.settings.apply({ kind: 'label_chat', labelid, chat, labeled })
        editions.push({ labelid, action })
      }
    }
    return done({ response: 'Labels updated', editions })
  },
}

const nextId = (labels: LabelRow[]) => `${1 + Math.max(0, ...labels.map(({ labelid }) => Number(labelid)))}`

const recordOf =
  (owner: string) =>
  ({ labelid, name, color, createdAt, updatedAt }: LabelRow) => ({
    ...{ id: `${owner}:${labelid}`, labelid, name, color, owner, colorHex: COLORS[color] ?? '' },
    ...{ created: dateTime(createdAt), updated: dateTime(updatedAt) },
  })
