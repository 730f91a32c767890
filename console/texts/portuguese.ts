// All Brazilian Portuguese texts of the console.

import type { english } from './english.ts'
import { account } from './pt-br/account-pt-br.ts'
import { audit } from './pt-br/audit-pt-br.ts'
import { authorize } from './pt-br/authorize-pt-br.ts'
import { common } from './pt-br/common-pt-br.ts'
import { conversation } from './pt-br/conversation-pt-br.ts'
import { deliveries } from './pt-br/delivery-pt-br.ts'
import { entrance } from './pt-br/entrance-pt-br.ts'
import { errors } from './pt-br/error-pt-br.ts'
import { groups } from './pt-br/group-pt-br.ts'
import { health } from './pt-br/health-pt-br.ts'
import { hosts } from './pt-br/host-pt-br.ts'
import { imported } from './pt-br/import-pt-br.ts'
import { inbox } from './pt-br/inbox-pt-br.ts'
import { instances } from './pt-br/instance-pt-br.ts'
import { limits } from './pt-br/limit-pt-br.ts'
import { linkPage, links } from './pt-br/link-pt-br.ts'
import { messageKinds } from './pt-br/message-kind-pt-br.ts'
import { overview } from './pt-br/overview-pt-br.ts'
import { palette } from './pt-br/palette-pt-br.ts'
import { passkey } from './pt-br/passkey-pt-br.ts'
import { people } from './pt-br/people-pt-br.ts'
import { portal } from './pt-br/portal-pt-br.ts'
import { simulation } from './pt-br/simulation-pt-br.ts'
import { tokens } from './pt-br/token-pt-br.ts'
import { webhook } from './pt-br/webhook-pt-br.ts'

export const portuguese: typeof english = {
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
