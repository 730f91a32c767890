// Sets and removes the picture of a group or of an account.
import { randomInt } from 'node:crypto'
import { stanza } from '../codec/stanza.ts'
import { sha256 } from '../crypto/ciphers.ts'
import { jpegSize } from '../media/jpeg.ts'
import { addressOf } from '../network/address.ts'
import type { Network } from '../network/network.ts'
import { notifyOfProfile } from '../network/profile.ts'
import { Refusal } from '../network/refusal.ts'
import type { Account } from '../store/accounts.ts'
import type { Group } from '../store/groups.ts'
import { notifyOfPicture } from './notices.ts'
import { mayDescribe } from './rules.ts'

const NOT_ACCEPTABLE = 406
const LARGEST_SIDE = 640

/** For the group, or without one for the account itself; `device` made the change. Answers the new picture's id; none if it was removed. */
export function setPicture(
  network: Network,
  by: Account,
  group: Group | undefined,
  jpeg: Buffer | undefined,
  device?: number,
): string | undefined {
  if (group !== undefined) mayDescribe(network, group, by)
  const { pictures } = network.store
  const owner = group?.jid ?? by.number
  if (jpeg === undefined) {
    pictures.drop(owner)
    notify(network, by, group, 'delete', undefined, device)
    return undefined
  }
  const size = jpegSize(jpeg)
  if (size === undefined || Math.max(size.width, size.height) > LARGEST_SIDE)
    throw new Refusal(NOT_ACCEPTABLE)
  const id = String(randomInt(10 ** 9, 10 ** 10))
  pictures.set(owner, { id, sha256: sha256(jpeg).toString('hex'), ...size }, jpeg)
  notify(network, by, group, 'set', id, device)
  return id
}

function notify(
  network: Network,
  by: Account,
  group: Group | undefined,
  change: 'set' | 'delete',
  id: string | undefined,
  device: number | undefined,
) {
  if (group === undefined) {
    const author = addressOf(by, 'pn')
    return notifyOfProfile(network, by, 'picture', stanza(change, { jid: author, id, author }), device)
  }
  const author = addressOf(by, group.form)
  notifyOfPicture(network, group, by, stanza(change, { jid: group.jid, id, author }))
}
