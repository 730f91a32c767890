// Changes of a group itself: its subject, its description, its settings.

import { buildStanza, type Stanza } from '../codec/stanza.ts'
import { Refusal } from '../network/refusal-codes.ts'
import type { Network } from '../network/simulated-network.ts'
import { createVersionId, formatSeconds } from '../network/stanza-ids.ts'
import { MAX_DESCRIPTION } from '../network-limits.ts'
import type { Account } from '../store/account-table.ts'
import type { Group } from '../store/group-table.ts'
import { buildAddModeNode, buildApprovalNode } from './group-node.ts'
import { notifyMembers } from './group-notices.ts'
import { checkAdmin, checkMayDescribe, validateSubject } from './group-rules.ts'

export function renameGroup(network: Network, group: Group, by: Account, input: string | undefined) {
  checkMayDescribe(network, group, by)
  const text = validateSubject(input)
  const at = Date.now()
  network.store.groups.save({ ...group, subject: { text, by: by.number, at } })
  notifyMembers(network, group, by, buildStanza('subject', { subject: text, s_t: formatSeconds(at) }))
}

/** `previous` is the id of the description that the writer has seen: a newer one cannot be overwritten. */
export function changeDescription(
  network: Network,
  group: Group,
  by: Account,
  input: { id: string; text: string } | undefined,
  previous: string | undefined,
) {
  checkMayDescribe(network, group, by)
  if (previous !== group.description?.id) throw new Refusal(409)
  if (input === undefined) {
    network.store.groups.save({ ...group, description: undefined })
    notifyMembers(network, group, by, buildStanza('description', { delete: 'true' }))
    return
  }
  if (input.text.length > MAX_DESCRIPTION) throw new Refusal(406)
  network.store.groups.save({ ...group, description: { ...input, by: by.number, at: Date.now() } })
  const body = buildStanza('body', {}, Buffer.from(input.text))
  notifyMembers(network, group, by, buildStanza('description', { id: input.id }, [body]))
}

export type Settings = Partial<Pick<Group, 'locked' | 'announce' | 'ephemeral' | 'openAdding' | 'approval'>>

/** Each setting has a separate notice. */
export function changeSettings(network: Network, group: Group, by: Account, settings: Settings) {
  checkAdmin(network, group, by)
  const changed = { ...group, ...settings }
  network.store.groups.save(changed)
  for (const setting of Object.keys(settings) as (keyof Settings)[]) {
    notifyMembers(network, changed, by, NOTICES[setting](changed))
  }
}

const NOTICES: Record<keyof Settings, (group: Group) => Stanza> = {
  locked: ({ locked }) => buildStanza(locked ? 'locked' : 'unlocked'),
  announce: ({ announce }) =>
    buildStanza(announce ? 'announcement' : 'not_announcement', { v_id: createVersionId() }),
  ephemeral: ({ ephemeral }) =>
    ephemeral > 0
      ? buildStanza('ephemeral', { expiration: String(ephemeral) })
      : buildStanza('not_ephemeral'),
  openAdding: ({ openAdding }) => buildAddModeNode(openAdding),
  approval: ({ approval }) => buildApprovalNode(approval),
}
