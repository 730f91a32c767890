// The actions on an instance, by its own token or by the admin's.

import type * as z from 'zod'
import type { Connection } from '../../shared/contract/answers/instance.ts'
import type { ConnectRequest } from '../../shared/contract/instance.ts'
import type { PasskeyRequest } from '../../shared/contract/passkey.ts'
import type { Session } from '../session.ts'
import type { Loaded } from '../ui/load.ts'

export type Acts = ReturnType<typeof actsOn>

/** Properties that all parts of an instance's page share. */
export interface DeviceProps {
  session: Session
  acts: Acts
  state: Loaded<Connection>
  connection: Connection
}

export function actsOn(session: Session, id: string) {
  const admin = session.admin?.instances
  const own = session.instance(id)
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
