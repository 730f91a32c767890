// All routes of this form: those that name no instance, and the tables of the others.

import type { DialectRoute } from '../http/dialect-app.ts'
import { type Rows, toRoutes } from '../http/dialect-rows.ts'
import { evolutionForm } from './evolution-bodies.ts'
import { chatRows } from './evolution-chats.ts'
import { createInstance } from './evolution-creation.ts'
import { EvolutionRefusal } from './evolution-errors.ts'
import { findRows, profileRows } from './evolution-finds.ts'
import { groupRows } from './evolution-groups.ts'
import { proxyRows } from './evolution-proxy.ts'
import { sendRows } from './evolution-sends.ts'
import { fetchInstances, sessionRows } from './evolution-session.ts'
import { webhookRows } from './evolution-webhook.ts'

/** Evolution has them, and nothing here does what they do. */
const absent = [
  'POST /call/offer',
  'POST /chat/fetchBusinessProfile',
  'POST /chat/markChatUnread',
  'POST /message/sendTemplate',
  'POST /rabbitmq/set',
  'GET /rabbitmq/find',
]

const refuse = (route: string) => (): never => {
  throw new EvolutionRefusal(501, [`${route} is not supported`])
}

const absentRows: Rows = Object.fromEntries(absent.map((route) => [route, [refuse(route)]]))

/** The version whose answers these are: programs ask for it. */
const greeting = { status: 200, message: 'The gateway answers in the form of Evolution.', version: '2.3.7' }

export const evolutionRoutes: DialectRoute[] = [
  { method: 'GET', path: '/', auth: 'none', handle: () => greeting },
  { method: 'POST', path: '/instance/create', auth: 'admin', handle: createInstance },
  {
    method: 'GET',
    path: '/instance/fetchInstances',
    auth: 'instance',
    adminScope: 'read',
    handle: fetchInstances,
  },
  ...toRoutes({ ...sessionRows, ...webhookRows, ...proxyRows, ...sendRows, ...chatRows }, evolutionForm),
  ...toRoutes({ ...findRows, ...profileRows, ...groupRows }, evolutionForm),
  // All that they do is refuse, so the document does not have them.
  ...toRoutes(absentRows, evolutionForm).map((route) => ({ ...route, shown: false as const })),
]
