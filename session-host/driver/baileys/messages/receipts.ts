// Converts the receipts of other devices: of one person in a chat of two, of each member in a group.

import { isPnUser, type WASocket } from 'baileys'
import { boundedId } from '../../../message-names.ts'
import type { Receipt } from '../../driver.ts'
import { inward, person } from '../ids.ts'
import { toMilliseconds } from '../network-times.ts'
import { chatOf, type Me, toProgress } from './inbound.ts'

export function adaptReceipts(sock: WASocket, me: () => Me, report: (receipts: Receipt[]) => void): void {
  sock.ev.on('messages.update', (updates) => {
    report(
      updates.flatMap(({ key, update }) => {
        const progress = toProgress(update.status)
        // Errors are reported by acks, with their code.
        if (!progress || progress === 'Failed' || !key.id || !key.remoteJid) return []
        const chat = chatOf(key, me())
        const by = key.fromMe ? person(key.participant || key.remoteJid) : person(me().id, me().lid)
        const at = toMilliseconds(update.messageTimestamp)
        const messageid = boundedId(key.id)
        return [{ messageid, progress, chat, by, isGroup: false, ours: key.fromMe === true, at }]
      }),
    )
  })
  sock.ev.on('message-receipt.update', (updates) => {
    report(
      updates.flatMap(({ key, receipt }) => {
        if (!key.id || !key.remoteJid) return []
        const by = person(receipt.userJid)
        const own = isPnUser(receipt.userJid ?? '') ? inward(me().id) : inward(me().lid)
        const progress = receipt.readTimestamp ? 'Read' : 'Delivered'
        const at = toMilliseconds(receipt.readTimestamp ?? receipt.receiptTimestamp)
        const chat = chatOf(key, me())
        const messageid = boundedId(key.id)
        return [{ messageid, progress, chat, by, isGroup: true, ours: by.id !== own, at }]
      }),
    )
  })
}
