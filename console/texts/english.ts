// All English texts of the console. The other languages have its shape.

import { account } from './en/account-texts.ts'
import { audit } from './en/audit-texts.ts'
import { authorize } from './en/authorize-texts.ts'
import { common } from './en/common-texts.ts'
import { conversation } from './en/conversation-texts.ts'
import { deliveries } from './en/delivery-texts.ts'
import { entrance } from './en/entrance-texts.ts'
import { errors } from './en/error-texts.ts'
import { groups } from './en/group-texts.ts'
import { health } from './en/health-texts.ts'
import { hosts } from './en/host-texts.ts'
import { imported } from './en/import-texts.ts'
import { inbox } from './en/inbox-texts.ts'
import { instances } from './en/instance-texts.ts'
import { limits } from './en/limit-texts.ts'
import { linkPage, links } from './en/link-texts.ts'
import { messageKinds } from './en/message-kind-texts.ts'
import { overview } from './en/overview-texts.ts'
import { palette } from './en/palette-texts.ts'
import { passkey } from './en/passkey-texts.ts'
import { people } from './en/people-texts.ts'
import { portal } from './en/portal-texts.ts'
import { simulation } from './en/simulation-texts.ts'
import { tokens } from './en/token-texts.ts'
import { webhook } from './en/webhook-texts.ts'

export const english = {
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
