// What the pages of an instance about its account are given.

import type { AdminClient } from '@msgnet/client/admin-client.ts'
import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { Connection } from '@msgnet/shared/contract/responses/instance-responses.ts'

export interface AccountProps {
  client: InstanceClient
  admin: AdminClient | undefined
  connection: Connection
  /** After a change of what the head of the page shows. */
  onChange: () => unknown
}
