// The actions on an instance, by its own token or by the admin's.

import type { ConnectRequest } from '@msgnet/shared/contract/instance-requests.ts'
import type { PasskeyRequest } from '@msgnet/shared/contract/passkey-requests.ts'
import type { Connection } from '@msgnet/shared/contract/responses/instance-responses.ts'
import type * as z from 'zod'
import type { Session } from '../console-session.ts'
import type { Loaded } from '../ui/use-load.ts'

export type InstanceControls = ReturnType<typeof createControls>

/** Properties that all parts of an instance's page share. */
export interface DeviceProps {
  session: Session
  controls: InstanceControls
  state: Loaded<Connection>
  connection: Connection
}

export function createControls(session: Session, id: string) {
  const admin = session.admin?.instances
  const own = session.getClient(id)
  if (admin)
    return {
      status: () => admin.status(id),
      connect: (request: z.input<typeof ConnectRequest>) => admin.connect(id, request),
      sendPasskey: (request: PasskeyRequest) => admin.sendPasskey(id, request),
      restart: () => admin.restart(id),
      disconnect: () => admin.disconnect(id),
      delete: () => admin.delete(id),
    }
  if (!own) throw new Error('no token for this instance')
  return {
    status: () => own.status(),
    connect: (request: z.input<typeof ConnectRequest>) => own.connect(request),
    sendPasskey: (request: PasskeyRequest) => own.sendPasskey(request),
    restart: () => own.restart(),
    disconnect: () => own.disconnect(),
    delete: () => own.delete(),
  }
}
