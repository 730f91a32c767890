// Apart from cloud-dialect.ts, because this is the table of the routes: each does its work by routes of the contract.

import type { DialectRoute } from '../http/dialect-app.ts'
import { sendMessage } from './send-cloud-message.ts'

export const cloudRoutes: DialectRoute[] = [
  { method: 'POST', path: '/{pn}/messages', auth: 'instance', handle: sendMessage },
]
