// Changes of a group itself: its subject, its description, its settings.
import { type Stanza, stanza } from '../codec/stanza.ts'
import type { Network } from '../network/network.ts'
import { Refusal } from '../network/refusal.ts'
import { seconds, versionId } from '../network/stamps.ts'
import type { Account } from '../store/accounts.ts'
import type { Group } from '../store/groups.ts'
import { addModeNode, approvalNode } from './group-node.ts'
import { notifyMembers } from './notices.ts'
import { acceptableSubject, LONGEST_DESCRIPTION, mayDescribe, mustBeAdmin } from './rules.ts'

export function rename(network: Network, group: Group, by: Account, wish: string | undefined) {
  mayDescribe(network, group, by)
  const text = acceptableSubject(wish)
  const at = Date.now()
  network.store.groups.save({ ...group, subject: { text, by: by.number, at } })
  notifyMembers(network, group, by, stanza('subject', { subject: text, s_t: seconds(at) }))
}

/** `previous` is the id of the description that the writer has seen: a newer one cannot be overwritten. */
export function describeAs(
  network: Network,
  group: Group,
  by: Account,
  wish: { id: string; text: string } | undefined,
  previous: string | undefined,
) {
  mayDescribe(network, group, by)
  if (previous !== group.description?.id) throw new Refusal(409)
  if (wish === undefined) {
    network.store.groups.save({ ...group, description: undefined })
    notifyMembers(network, group, by, stanza('description', { delete: 'true' }))
    return
  }
  if (wish.text.length > LONGEST_DESCRIPTION) throw new Refusal(406)
  network.store.groups.save({ ...group, description: { ...wish, by: by.number, at: Date.now() } })
  const body = stanza('body', {}, Buffer.from(wish.text))
  notifyMembers(network, group, by, stanza('description', { id: wish.id }, [body]))
}

export type Settings = Partial<Pick<Group, 'locked' | 'announce' | 'ephemeral' | 'openAdding' | 'approval'>>

/** Each setting has a separate notice. */
export function configure(network: Network, group: Group, by: Account, settings: Settings) {
  mustBeAdmin(network, group, by)
  const changed = { ...group, ...settings }
  network.store.groups.save(changed)
  for (const setting of Object.keys(settings) as (keyof Settings)[]) {
    notifyMembers(network, changed, by, NOTICES[setting](changed))
  }
}

const NOTICES: Record<keyof Settings, (group: Group) => Stanza> = {
  locked: ({ locked }) => stanza(locked ? 'locked' : 'unlocked'),
  announce: ({ announce }) => stanza(announce ? 'announcement' : 'not_announcement', { v_id: versionId() }),
  ephemeral: ({ ephemeral }) =>
    ephemeral > 0 ? stanza('ephemeral', { expiration: String(ephemeral) }) : stanza('not_ephemeral'),
  openAdding: ({ openAdding }) => addModeNode(openAdding),
  approval: ({ approval }) => approvalNode(approval),
}
