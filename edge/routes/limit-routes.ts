// Handlers for data that the host has stored from the network: restrictions of the account, and ids of people.

import { routes } from '@msgnet/shared/api/api.ts'
import type { Route } from '@msgnet/shared/api/route-declaration.ts'
import {
  type AccountLimits,
  type Limits,
  noLimits,
} from '@msgnet/shared/contract/responses/limit-responses.ts'
import { extractPhone, isLid } from '@msgnet/shared/jid.ts'
import type { ActionName } from '@msgnet/shared/wire/session-actions.ts'
import { dispatchAction } from '../hosts/dispatch-action.ts'
import type { Handlers } from '../http/serve-route.ts'
import { requirePlaced } from './session-dispatch.ts'

export const limitHandlers = {
  async getLimits(c) {
    if (!c.var.instance.hostId) return toLimitsAnswer(noLimits)
    return toLimitsAnswer(await dispatchAction(c, requirePlaced(c), 'account.limits', {}))
  },

  async resolveIdentities(c, { body }) {
    if (c.var.instance.hostId) return dispatchAction(c, requirePlaced(c), 'account.identities', body)
    return body.ids.map((id) => ({ id, ...toIdentityForms(id), source: '' as const }))
  },
} satisfies Partial<Handlers>

const toIdentityForms = (id: string) => ({ jid: extractPhone(id) ? id : '', lid: isLid(id) ? id : '' })

const toLimitsAnswer = ({ recent, ...limits }: AccountLimits): Limits => ({
  ...limits,
  recent: recent.map(({ action, ...refusal }) => ({ ...refusal, route: paths.get(action) ?? action })),
})

/** The routes of actions that a handler uses; the others are declared with their action. */
const pathsOfHandlers: Partial<Record<ActionName, string>> = {
  'message.sendMedia': '/send/media',
  'message.sendAlbum': '/send/album',
  'message.sendStatus': '/send/status',
  'message.sendMenu': '/send/menu',
  'message.download': '/message/download',
  'group.list': '/group/list',
  'group.updateImage': '/group/updateImage',
  'chat.read': '/chat/read',
  'account.blocklist': '/chat/blocklist',
  'account.privacy': '/instance/privacy',
  'account.updateImage': '/profile/image',
}

const paths = new Map<string, string>([
  ...Object.entries(pathsOfHandlers),
  ...Object.values<Route>(routes).flatMap(({ action, path }) => (action ? [[action, path] as const] : [])),
])
