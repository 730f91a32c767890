// Requests about pictures, of accounts and of groups.
import { asBuffer, buildStanza } from '../codec/stanza.ts'
import { getGroup, getMembership } from '../groups/group-rules.ts'
import { setPicture } from '../groups/set-picture.ts'
import { findAccount, isGroupJid, parseAddress } from '../network/address.ts'
import { Refusal } from '../network/refusal-codes.ts'
import { isAllowed } from '../people/privacy-settings.ts'
import type { Group } from '../store/group-table.ts'
import { type Request, type RequestTable, requireCompanion } from './request.ts'

const HIDDEN = 401

export const pictureRequests: RequestTable = {
  'w:profile:picture get picture'(request) {
    const { network } = request
    const picture = network.store.pictures.findByOwner(findVisibleOwner(request))
    if (picture === undefined) throw new Refusal(404)
    const type = request.child?.attrs.type ?? 'image'
    return [
      buildStanza('picture', {
        id: picture.id,
        type,
        url: network.media.pictureUrl(picture.id, type === 'preview'),
      }),
    ]
  },

  'w:profile:picture set picture'(request) {
    const { account, companion } = requireCompanion(request)
    const content = request.child?.content
    const jpeg = content instanceof Uint8Array && content.length > 0 ? asBuffer(content) : undefined
    const id = setPicture(request.network, account, findTargetGroup(request), jpeg, companion.device)
    return id === undefined ? [] : [buildStanza('picture', { id })]
  },

  'w:profile:picture set -'(request) {
    const { account, companion } = requireCompanion(request)
    setPicture(request.network, account, findTargetGroup(request), undefined, companion.device)
    return []
  },
}

/** The key of the requested picture. */
function findVisibleOwner(request: Request): string {
  const { account } = requireCompanion(request)
  const { network, iq } = request
  const { target } = iq.attrs
  if (isGroupJid(target)) {
    const group = getGroup(network, target)
    getMembership(network, group, account)
    return group.jid
  }
  const owner = findAccount(network.store, parseAddress(target))
  if (owner === undefined) throw new Refusal(404)
  if (!isAllowed(network, owner, 'profile', account)) throw new Refusal(HIDDEN)
  return owner.number
}

/** Only the own picture and a group's can be changed. */
function findTargetGroup(request: Request): Group | undefined {
  const { account } = requireCompanion(request)
  const { network, iq } = request
  const { target } = iq.attrs
  if (isGroupJid(target)) return getGroup(network, target)
  const own =
    target === undefined || findAccount(network.store, parseAddress(target))?.number === account.number
  if (!own) throw new Refusal(401)
  return undefined
}
