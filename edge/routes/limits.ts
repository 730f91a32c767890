// Handlers for data that the host has stored from the network: restrictions of the account, and ids of people.

import { routes } from '../../shared/api/api.ts'
import type { Route } from '../../shared/api/route.ts'
import { type AccountLimits, type Limits, noLimits } from '../../shared/contract/answers/limits.ts'
import { isLid, phoneOf } from '../../shared/jid.ts'
import type { ActionName } from '../../shared/wire/actions.ts'
import { act } from '../hosts/dispatch.ts'
import type { Handlers } from '../http/serve.ts'
import { placed } from './session-acts.ts'

export const limitHandlers = {
  async getLimits(c) {
    if (!c.var.instance.hostId) return spokenOf(noLimits)
    return spokenOf(await act(c, placed(c), 'account.limits', {}))
  },

  async resolveIdentities(c, { body }) {
    if (c.var.instance.hostId) return act(c, placed(c), 'account.identities', body)
    return body.ids.map((id) => ({ id, ...formOf(id), source: '' as const }))
  },
} satisfies Partial<Handlers>

const formOf = (id: string) => ({ jid: phoneOf(id) ? id : '', lid: isLid(id) ? id : '' })

const spokenOf = ({ recent, ...limits }: AccountLimits): Limits => ({
  ...limits,
  recent: recent.map(({ action, ...refusal }) => ({ ...refusal, route: paths.get(action) ?? action })),
})

/** The routes of actions that a handler uses; the others are declared with their action. */
const asked: Partial<Record<ActionName, string>> = {
  ...{ 'message.sendMedia': '/send/media', 'message.sendStatus': '/send/status' },
  ...{ 'message.sendMenu': '/send/menu', 'message.download': '/message/download' },
  ...{ 'group.list': '/group/list', 'group.updateImage': '/group/updateImage', 'chat.read': '/chat/read' },
  ...{ 'account.blocklist': '/chat/blocklist', 'account.privacy': '/instance/privacy' },
  ...{ 'account.updateImage': '/profile/image' },
}

const paths = new Map<string, string>([
  ...Object.entries(asked),
  ...Object.values<Route>(routes).flatMap(({ action, path }) => (action ? [[action, path] as const] : [])),
])
