// All English texts of the console, a file for each page. Another language is another object of this shape.

import { conversation } from './texts/conversation-texts.ts'
import { deliveries } from './texts/delivery-texts.ts'
import { entrance } from './texts/entrance-texts.ts'
import { errors } from './texts/error-texts.ts'
import { groups } from './texts/group-texts.ts'
import { health } from './texts/health-texts.ts'
import { hosts } from './texts/host-texts.ts'
import { instances } from './texts/instance-texts.ts'
import { laboratory } from './texts/laboratory-texts.ts'
import { passkey } from './texts/passkey-texts.ts'
import { webhook } from './texts/webhook-texts.ts'

export const texts = {
  ...entrance,
  ...instances,
  conversation,
  groups,
  passkey,
  webhook,
  deliveries,
  hosts,
  health,
  laboratory,
  errors,
  name: 'msgnet gateway',
  loading: 'Loading…',
  close: 'Close',
  cancel: 'Cancel',
  copy: 'Copy',
  copied: 'Copied',
  save: 'Save',
  requestId: 'request id',
  justNow: 'just now',
  search: 'Search',
  nav: {
    label: 'Pages',
    instances: 'Instances',
    instance: 'Instance',
    webhook: 'Server webhook',
    hosts: 'Hosts',
    health: 'Health',
    laboratory: 'Laboratory',
    docs: 'Docs',
  },
}
