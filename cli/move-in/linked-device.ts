// Which account and device a credential is of.

import * as z from 'zod'

/** The phone has signed it. */
const LinkedCreds = z.object({ me: z.object({ id: z.string() }), account: z.object({}) })

/** Digits of the account, perhaps its agent, and its device: `5511900000000:12@s.whatsapp.net`. */
const DEVICE_JID = /^(\d+)(?:[._]\d+)?(?::(\d+))?@/

interface LinkedDevice {
  number: string
  device: string
  /** When the account told its devices something last. */
  lastUse: Date | undefined
  obstacle?: string
}

const SECONDS = z.object({ lastAccountSyncTimestamp: z.number().positive() })

export const describeUnlinked = (obstacle: string): LinkedDevice => ({
  number: '',
  device: '',
  lastUse: undefined,
  obstacle,
})

/** `json`: the row of `creds`; undefined if there is none. */
export function readLinkedDevice(json: string | undefined, rows: number): LinkedDevice {
  if (!json) return describeUnlinked('has no credential')
  let creds: unknown
  try {
    creds = JSON.parse(json)
  } catch {
    return describeUnlinked('its credential cannot be read')
  }
  const linked = LinkedCreds.safeParse(creds)
  const [, number, device = '0'] = DEVICE_JID.exec(linked.data?.me.id ?? '') ?? []
  if (!number) return describeUnlinked('no device is linked')
  const synced = SECONDS.safeParse(creds).data
  return {
    number,
    device,
    lastUse: synced && new Date(synced.lastAccountSyncTimestamp * 1000),
    // A credential alone would connect, and be able to read nothing.
    ...(rows < 2 && { obstacle: 'its keys are missing' }),
  }
}
