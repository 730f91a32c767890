// Sets and removes the picture of a group or of an account.
import { randomInt } from 'node:crypto'
import { buildStanza } from '../codec/stanza.ts'
import { sha256 } from '../crypto/ciphers.ts'
import { readJpegSize } from '../media/jpeg.ts'
import { formatAddress } from '../network/address.ts'
import { Refusal } from '../network/refusal-codes.ts'
import type { Network } from '../network/simulated-network.ts'
import { MAX_PICTURE_SIDE } from '../network-limits.ts'
import { notifyProfileChange } from '../people/profile-notices.ts'
import type { Account } from '../store/account-table.ts'
import type { Group } from '../store/group-table.ts'
import { notifyGroupPicture } from './group-notices.ts'
import { checkMayDescribe } from './group-rules.ts'

const NOT_ACCEPTABLE = 406

/** For the group, or without one for the account itself; `device` made the change. Returns the new picture's id; none if it was removed. */
export function setPicture(
  network: Network,
  by: Account,
  group: Group | undefined,
  jpeg: Buffer | undefined,
  device?: number,
): string | undefined {
  if (group !== undefined) checkMayDescribe(network, group, by)
  const { pictures } = network.store
  const owner = group?.jid ?? by.number
  if (jpeg === undefined) {
    pictures.deletePicture(owner)
    notifyPicture(network, by, group, 'delete', undefined, device)
    return undefined
  }
  const size = readJpegSize(jpeg)
  if (size === undefined || Math.max(size.width, size.height) > MAX_PICTURE_SIDE)
    throw new Refusal(NOT_ACCEPTABLE)
  const id = String(randomInt(10 ** 9, 10 ** 10))
  pictures.setPicture(owner, { id, sha256: sha256(jpeg).toString('hex'), ...size }, jpeg)
  notifyPicture(network, by, group, 'set', id, device)
  return id
}

function notifyPicture(
  network: Network,
  by: Account,
  group: Group | undefined,
  change: 'set' | 'delete',
  id: string | undefined,
  device: number | undefined,
) {
  if (group === undefined) {
    const author = formatAddress(by, 'pn')
    return notifyProfileChange(
      network,
      by,
      'picture',
      buildStanza(change, { jid: author, id, author }),
      device,
    )
  }
  const author = formatAddress(by, group.form)
  notifyGroupPicture(network, group, by, buildStanza(change, { jid: group.jid, id, author }))
}
