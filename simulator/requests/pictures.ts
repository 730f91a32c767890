// Requests about pictures, of accounts and of groups.
import { asBuffer, stanza } from '../codec/stanza.ts'
import { setPicture } from '../groups/picture.ts'
import { groupAt, membership } from '../groups/rules.ts'
import { accountAt, isGroup, parseAddress } from '../network/address.ts'
import { lets } from '../network/privacy.ts'
import { Refusal } from '../network/refusal.ts'
import type { Group } from '../store/groups.ts'
import { asking, type Request, type RequestTable } from './request.ts'

const HIDDEN = 401

export const pictureRequests: RequestTable = {
  'w:profile:picture get picture'(request) {
    const { network } = request
    const picture = network.store.pictures.of(visibleOwner(request))
    if (picture === undefined) throw new Refusal(404)
    const type = request.child?.attrs.type ?? 'image'
    return [
      stanza('picture', {
        id: picture.id,
        type,
        url: network.media.pictureUrl(picture.id, type === 'preview'),
      }),
    ]
  },

  'w:profile:picture set picture'(request) {
    const { account, companion } = asking(request)
    const content = request.child?.content
    const jpeg = content instanceof Uint8Array && content.length > 0 ? asBuffer(content) : undefined
    const id = setPicture(request.network, account, groupMeant(request), jpeg, companion.device)
    return id === undefined ? [] : [stanza('picture', { id })]
  },

  'w:profile:picture set -'(request) {
    const { account, companion } = asking(request)
    setPicture(request.network, account, groupMeant(request), undefined, companion.device)
    return []
  },
}

/** The key of the requested picture. */
function visibleOwner(request: Request): string {
  const { account } = asking(request)
  const { network, iq } = request
  const { target } = iq.attrs
  if (isGroup(target)) {
    const group = groupAt(network, target)
    membership(network, group, account)
    return group.jid
  }
  const owner = accountAt(network.store, parseAddress(target))
  if (owner === undefined) throw new Refusal(404)
  if (!lets(network, owner, 'profile', account)) throw new Refusal(HIDDEN)
  return owner.number
}

/** Only the own picture and a group's can be changed. */
function groupMeant(request: Request): Group | undefined {
  const { account } = asking(request)
  const { network, iq } = request
  const { target } = iq.attrs
  if (isGroup(target)) return groupAt(network, target)
  const own =
    target === undefined || accountAt(network.store, parseAddress(target))?.number === account.number
  if (!own) throw new Refusal(401)
  return undefined
}
