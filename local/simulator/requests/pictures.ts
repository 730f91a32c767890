// Requests about pictures, of accounts and of groups.
import { randomInt } from 'node:crypto'
import { asBuffer, type Stanza, stanza } from '../codec/stanza.ts'
import { sha256 } from '../crypto/ciphers.ts'
import { tellOfPicture } from '../groups/notices.ts'
import { groupAt, mayDescribe, membership } from '../groups/rules.ts'
import { jpegSize } from '../media/jpeg.ts'
import { accountAt, addressOf, isGroup, parseAddress } from '../network/address.ts'
import { Refusal } from '../network/refusal.ts'
import type { Group } from '../store/groups.ts'
import { asking, type Request, type RequestTable } from './request.ts'

const NOT_ACCEPTABLE = 406
const LARGEST_SIDE = 640

export const pictureRequests: RequestTable = {
  'w:profile:picture get picture'(request) {
    const { account } = asking(request)
    const { network, iq } = request
    const { target } = iq.attrs
    if (isGroup(target)) membership(network, groupAt(network, target), account)
    const owner = isGroup(target) ? target : accountAt(network.store, parseAddress(target))?.number
    const picture = owner === undefined ? undefined : network.store.pictures.of(owner)
    if (picture === undefined) throw new Refusal(404)
    const type = request.child?.attrs.type ?? 'image'
    return [stanza('picture', { id: picture.id, type, url: network.media.pictureUrl(picture.id) })]
  },

  'w:profile:picture set picture'(request) {
    const { owner, group } = changing(request)
    const content = request.child?.content
    if (!(content instanceof Uint8Array) || content.length === 0) {
      return remove(request, owner, group)
    }
    const jpeg = asBuffer(content)
    const size = jpegSize(jpeg)
    if (size === undefined || Math.max(size.width, size.height) > LARGEST_SIDE)
      throw new Refusal(NOT_ACCEPTABLE)
    const id = String(randomInt(10 ** 9, 10 ** 10))
    const { store } = request.network
    store.pictures.set(owner, { id, sha256: sha256(jpeg).toString('hex'), ...size }, jpeg)
    tell(request, group, 'set', id)
    return [stanza('picture', { id })]
  },

  'w:profile:picture set -'(request) {
    const { owner, group } = changing(request)
    return remove(request, owner, group)
  },
}

/** Whose picture is to be changed: the asking account's own, unless a group is named in which it may do that. */
function changing(request: Request): { owner: string; group: Group | undefined } {
  const { account } = asking(request)
  const { network, iq } = request
  const { target } = iq.attrs
  if (target === undefined) return { owner: account.number, group: undefined }
  if (!isGroup(target)) throw new Refusal(401)
  const group = groupAt(network, target)
  mayDescribe(network, group, account)
  return { owner: group.jid, group }
}

function remove(request: Request, owner: string, group: Group | undefined): Stanza[] {
  request.network.store.pictures.drop(owner)
  tell(request, group, 'delete')
  return []
}

function tell(request: Request, group: Group | undefined, change: 'set' | 'delete', id?: string) {
  if (group === undefined) return
  const { account } = asking(request)
  const author = addressOf(account, group.form)
  tellOfPicture(request.network, group, account, stanza(change, { jid: group.jid, id, author }))
}
