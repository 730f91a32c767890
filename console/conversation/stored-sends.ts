// Messages without a known outcome, in the memory of the browser's tab: a reload does not lose their keys. A sign-out removes them.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'

type SendRoute = 'sendText' | 'sendMedia' | 'sendLocation' | 'sendContact' | 'sendMenu'

/** The same each time: the key stands for it. */
export type SendRequest = {
  [Route in SendRoute]: { route: Route; body: Parameters<InstanceClient[Route]>[0] }
}[SendRoute]

const STORAGE_KEY = 'msgnet-gateway.sends'
/** A file does not fit there. */
const MAX_REQUEST_CHARACTERS = 100_000

export interface StoredSend {
  key: string
  chatid: string
  label: string
  request?: SendRequest | undefined
}

type Stored = Record<string, StoredSend[]>

function readStorage(): Stored {
  try {
    return JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '{}') as Stored
  } catch {
    // The browser has no storage, or other data under this name: then a reload loses the keys.
    return {}
  }
}

export const readStoredSends = (instance: string): StoredSend[] => readStorage()[instance] ?? []

export function storeSends(instance: string, sends: readonly StoredSend[]): void {
  const { [instance]: before = [], ...others } = readStorage()
  if (before.length + sends.length === 0) return
  const small = sends.map((send) => ({
    ...send,
    request: JSON.stringify(send.request).length > MAX_REQUEST_CHARACTERS ? undefined : send.request,
  }))
  try {
    const stored: Stored = sends.length > 0 ? { ...others, [instance]: small } : others
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(stored))
  } catch {
    // The storage is full or absent: they are known until the page is closed.
  }
}
