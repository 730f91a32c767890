// Menus, and the taps that answer them.

import type { proto } from 'baileys'
import { readTap } from '../menu-answers.ts'
import { describeMenu, getMenuText, isCutMenu, readMenu } from '../menu-content.ts'
import { describePayment } from './flow-payments.ts'
import type { KindReader, KindTable } from './kind-reading.ts'

/** `name`: the field of the message that the menu is in. A product, too, is a menu. */
const readMenuIn =
  (name: keyof proto.IMessage): KindReader =>
  (content) => {
    const menu = readMenu(content, name)
    if (!menu) return undefined
    const payment = describePayment(content.interactiveMessage)
    return {
      type: 'menu',
      text: getMenuText(menu) || (payment?.text ?? ''),
      content: { ...describeMenu(menu), ...(payment && { payment: payment.details }) },
      truncated: isCutMenu(menu),
    }
  }

/** A tap is read as what it says. */
const readTapIn =
  (name: keyof proto.IMessage): KindReader =>
  (content) => {
    const tap = readTap(content, name)
    return (
      tap && { type: 'text', text: tap.text, content: tap.details, answer: { id: tap.id, text: tap.text } }
    )
  }

export const menuKinds = {
  buttonsMessage: readMenuIn('buttonsMessage'),
  listMessage: readMenuIn('listMessage'),
  templateMessage: readMenuIn('templateMessage'),
  highlyStructuredMessage: readMenuIn('highlyStructuredMessage'),
  interactiveMessage: readMenuIn('interactiveMessage'),
  productMessage: readMenuIn('productMessage'),
  buttonsResponseMessage: readTapIn('buttonsResponseMessage'),
  listResponseMessage: readTapIn('listResponseMessage'),
  templateButtonReplyMessage: readTapIn('templateButtonReplyMessage'),
  interactiveResponseMessage: readTapIn('interactiveResponseMessage'),
} satisfies KindTable
