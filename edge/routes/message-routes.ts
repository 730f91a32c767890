// Handlers for polls and menus, whose response has more than the record, and for messages that the host has stored.

import { menuLimits } from '@msgnet/shared/contract/menu-choices.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { dispatchAction } from '../hosts/dispatch-action.ts'
import { skipAudit } from '../http/record-audit.ts'
import type { Handlers } from '../http/serve-route.ts'
import { linkStoredFiles } from '../media/media-links.ts'
import { validateMenuPictures, withMenuPictures } from '../media/menu-pictures.ts'
import { isInteractive, readPublicOrigin } from '../settings/env.ts'
import { chooseDelay } from './message-delay.ts'
import {
  dispatchMessage,
  requireLoggedIn,
  requirePlaced,
  requireSendable,
  validateAfterSession,
} from './session-dispatch.ts'

const SWITCHED_OFF =
  'type: buttons, lists and carousels are off on this server (INTERACTIVE). Not every phone shows them when a linked device sends them, and the network does not say which does. A poll is shown by all.'
const LONG_CHOICE = `choices must have ${menuLimits.maxPollChoice} characters at most in a poll.`

export const messageHandlers = {
  async sendMenu(c, { body }) {
    const asText = body.type !== 'poll' && !isInteractive(c.env)
    if (asText && !c.env.dialect.sendsMenusAsText) throw new Fault('invalid_body', SWITCHED_OFF)
    // Of a poll nothing in curly brackets is a picture.
    if (body.type === 'poll' && c.var.longTexts?.isEmpty === false)
      throw new Fault('invalid_body', LONG_CHOICE)
    const instance = await validateAfterSession(
      () => requireSendable(c, body),
      () => validateMenuPictures(c, body),
    )
    const delay = chooseDelay(instance, body)
    const sent = await withMenuPictures(c, instance, body, (menu) =>
      dispatchMessage(c, instance, 'message.sendMenu', { ...menu, asText, delay }, { delay }),
    )
    const message = body.type === 'poll' ? 'Poll sent' : 'Menu sent'
    return { ...sent, response: { status: 'success', message } }
  },

  async findMessages(c, { body }) {
    const { limit, offset } = body
    const found = c.get('instance').hostId
      ? await dispatchAction(c, requirePlaced(c), 'message.find', body)
      : { messages: [], limit, offset, nextOffset: offset, hasMore: false }
    if (found.messages.length === 0) skipAudit(c)
    const origin = readPublicOrigin(c.env) ?? new URL(c.req.url).origin
    const messages = await linkStoredFiles(c.env, c.var, origin, found.messages)
    return { ...found, messages, returnedMessages: messages.length }
  },

  requestHistory(c, { body: { messageid, ...request } }) {
    const input = { ...request, ...(messageid !== undefined && { before: messageid }) }
    return dispatchAction(c, requireLoggedIn(c), 'message.history', input)
  },
} satisfies Partial<Handlers>
