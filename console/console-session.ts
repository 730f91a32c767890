// The signed-in user's tokens. They are in this page's memory, and in the browser's storage only if the user chose that.

import { useLayoutEffect, useState } from 'preact/hooks'
import { type AdminClient, connectAdmin } from '../client/admin-client.ts'
import { GatewayError } from '../client/errors.ts'
import { connectInstance, type InstanceClient } from '../client/instance-client.ts'

interface SignedIn {
  adminToken?: string
  /** The only visible instance, if its own token was used to sign in. */
  only?: string
  tokens: Record<string, string>
}

const STORAGE_KEY = 'msgnet-gateway.console'
const baseUrl = location.origin
const clients = new Map<string, InstanceClient>()
const listeners = new Set<() => void>()
/** Its only message says that the user has signed out. */
const otherTabs = new BroadcastChannel(STORAGE_KEY)
otherTabs.addEventListener('message', endSession)

let signedIn: SignedIn | undefined = readStorage()
let admin: AdminClient | undefined = signedIn?.adminToken
  ? connectAdmin({ baseUrl, adminToken: signedIn.adminToken })
  : undefined
let remembered = signedIn !== undefined

function readStorage(): SignedIn | undefined {
  try {
    return JSON.parse(localStorage.getItem(STORAGE_KEY) ?? 'null') ?? undefined
  } catch {
    // The browser has no storage, or other data under this name: then the user is not signed in.
    return undefined
  }
}

function publishSession(): void {
  if (remembered && signedIn) localStorage.setItem(STORAGE_KEY, JSON.stringify(signedIn))
  for (const listener of listeners) listener()
}

export type Session = NonNullable<ReturnType<typeof getSession>>

export function useSession(): Session | undefined {
  const [, redraw] = useState(0)
  // Before the browser paints, so that a sign-in at once is not missed.
  useLayoutEffect(() => {
    const listener = () => redraw((times) => times + 1)
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, [])
  return getSession()
}

export function getSession() {
  if (!signedIn) return undefined
  const { adminToken, only, tokens } = signedIn
  const getToken = (id: string): string | undefined => tokens[id]
  return { admin, adminToken, only, getToken, getClient, storeToken }
}

/** Undefined when the token of the instance is not known here. */
function getClient(id: string): InstanceClient | undefined {
  const token = signedIn?.tokens[id]
  if (!token) return undefined
  const client = clients.get(token) ?? connectInstance({ baseUrl, token })
  clients.set(token, client)
  return client
}

function storeToken(id: string, token: string): void {
  if (!signedIn) return
  signedIn = { ...signedIn, tokens: { ...signedIn.tokens, [id]: token } }
  publishSession()
}

/** Throws a GatewayError with code `unauthorized` if the token is not known. */
export async function signIn(token: string, remember: boolean): Promise<void> {
  remembered = remember
  const adminClient = connectAdmin({ baseUrl, adminToken: token })
  const signInAsInstance = async () => {
    const { instance } = await connectInstance({ baseUrl, token }).status()
    signedIn = { only: instance.id, tokens: { [instance.id]: token } }
  }
  if (token.startsWith('mgi_')) await signInAsInstance()
  else
    try {
      await adminClient.capabilities()
      admin = adminClient
      signedIn = { adminToken: token, tokens: {} }
    } catch (error) {
      if (!(error instanceof GatewayError && error.status === 401) || token.startsWith('mga_')) throw error
      await signInAsInstance()
    }
  publishSession()
}

/** In every tab of this browser. */
export function signOut(): void {
  endSession()
  otherTabs.postMessage('signed out')
}

function endSession(): void {
  localStorage.removeItem(STORAGE_KEY)
  signedIn = undefined
  admin = undefined
  remembered = false
  clients.clear()
  location.hash = ''
  publishSession()
}
