// Converts the receipts of other devices: of one person in a chat of two, of each member in a group.

import { isPnUser, type WASocket } from 'baileys'
import type { Receipt } from '../../driver.ts'
import { truncateId } from '../../message-names.ts'
import { toGatewayJid, toPerson } from '../ids.ts'
import { toMilliseconds } from '../network-times.ts'
import { findChat, type OwnIds, toProgress } from './message-conversion.ts'

export function adaptReceipts(sock: WASocket, me: () => OwnIds, report: (receipts: Receipt[]) => void): void {
  sock.ev.on('messages.update', (updates) => {
    report(
      updates.flatMap(({ key, update }) => {
        const progress = toProgress(update.status)
        // Errors are reported by acks, with their code.
        if (!progress || progress === 'Failed' || !key.id || !key.remoteJid) return []
        const chat = findChat(key, me())
        const by = key.fromMe ? toPerson(key.participant || key.remoteJid) : toPerson(me().id, me().lid)
        const at = toMilliseconds(update.messageTimestamp)
        const messageid = truncateId(key.id)
        return [{ messageid, progress, chat, by, isGroup: false, own: key.fromMe === true, at }]
      }),
    )
  })
  sock.ev.on('message-receipt.update', (updates) => {
    report(
      updates.flatMap(({ key, receipt }) => {
        if (!key.id || !key.remoteJid) return []
        const by = toPerson(receipt.userJid)
        const ownJid = isPnUser(receipt.userJid ?? '') ? toGatewayJid(me().id) : toGatewayJid(me().lid)
        const progress = receipt.readTimestamp ? 'Read' : 'Delivered'
        const at = toMilliseconds(receipt.readTimestamp ?? receipt.receiptTimestamp)
        const chat = findChat(key, me())
        const messageid = truncateId(key.id)
        return [{ messageid, progress, chat, by, isGroup: true, own: by.id !== ownJid, at }]
      }),
    )
  })
}
