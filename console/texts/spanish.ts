// All Spanish texts of the console.

import type { english } from './english.ts'
import { account } from './es/account-es.ts'
import { audit } from './es/audit-es.ts'
import { authorize } from './es/authorize-es.ts'
import { common } from './es/common-es.ts'
import { conversation } from './es/conversation-es.ts'
import { deliveries } from './es/delivery-es.ts'
import { entrance } from './es/entrance-es.ts'
import { errors } from './es/error-es.ts'
import { groups } from './es/group-es.ts'
import { health } from './es/health-es.ts'
import { hosts } from './es/host-es.ts'
import { imported } from './es/import-es.ts'
import { inbox } from './es/inbox-es.ts'
import { instances } from './es/instance-es.ts'
import { limits } from './es/limit-es.ts'
import { linkPage, links } from './es/link-es.ts'
import { messageKinds } from './es/message-kind-es.ts'
import { overview } from './es/overview-es.ts'
import { palette } from './es/palette-es.ts'
import { passkey } from './es/passkey-es.ts'
import { people } from './es/people-es.ts'
import { portal } from './es/portal-es.ts'
import { simulation } from './es/simulation-es.ts'
import { tokens } from './es/token-es.ts'
import { webhook } from './es/webhook-es.ts'

export const spanish: typeof english = {
  ...common,
  ...entrance,
  ...instances,
  account,
  audit,
  authorize,
  conversation,
  deliveries,
  errors,
  groups,
  health,
  hosts,
  imported,
  inbox,
  simulation,
  linkPage,
  links,
  limits,
  messageKinds,
  overview,
  palette,
  passkey,
  people,
  portal,
  tokens,
  webhook,
}
