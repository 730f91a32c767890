// The signed-in user's tokens. They are in this page's memory, and in the browser's storage only if the user chose that.

import { type AdminClient, connectAdmin } from '@msgnet/client/admin-client.ts'
import { GatewayError } from '@msgnet/client/errors.ts'
import { connectInstance, type InstanceClient } from '@msgnet/client/instance-client.ts'
import type { Scope } from '@msgnet/shared/contract/admin-scope.ts'
import { useLayoutEffect, useState } from 'preact/hooks'
import { fetchAndReport } from './gateway-watch.ts'
import { createUploadingFetch } from './upload-with-progress.ts'

interface SignedIn {
  adminToken?: string
  /** What the admin token allows. */
  scope?: Scope
  /** The only visible instance and its token, if that was used to sign in. */
  only?: string
  token?: string
}

const STORAGE_KEY = 'msgnet-gateway.console'
/** The person at the screen decides what is sent again. */
const gateway = { baseUrl: location.origin, fetch: fetchAsUser, repeats: false } as const
/** As long as the gateway itself waits for a large body. */
const UPLOAD_MS = 6 * 60_000
const clients = new Map<string, InstanceClient>()
const listeners = new Set<() => void>()
/** Its only message says that the user has signed out. */
const otherTabs = new BroadcastChannel(STORAGE_KEY)
otherTabs.addEventListener('message', endSession)

let signedIn: SignedIn | undefined = readStorage()
let admin: AdminClient | undefined = signedIn?.adminToken
  ? connectAdmin({ ...gateway, adminToken: signedIn.adminToken })
  : undefined
let remembered = signedIn !== undefined
let hasTokenEnded = false

function fetchAsUser(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  return sendAsUser(() => fetchAndReport(input, init))
}

/** After a 401 nothing works any more: the user has to sign in again. */
async function sendAsUser(send: () => Promise<Response>): Promise<Response> {
  const user = signedIn
  const response = await send()
  // An answer to a request from before another sign-in says nothing about the present token.
  if (response.status === 401 && user && user === signedIn) {
    endSession()
    hasTokenEnded = true
    publishSession()
  }
  return response
}

/** Whether the session ended because its token did, and not by a sign-out. */
export const isTokenEnded = (): boolean => hasTokenEnded

function readStorage(): SignedIn | undefined {
  try {
    const stored: SignedIn | null = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? 'null')
    return stored?.adminToken || stored?.token ? stored : undefined
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
  const { adminToken, scope, only, token } = signedIn
  /** Whether it may change instances and act for them. */
  const canOperate = scope !== 'read'
  /** Whether it may manage admin tokens. What was stored without a scope is of the environment's token or is refused. */
  const canAdminister = scope === undefined || scope === 'admin'
  return { admin, adminToken, canOperate, canAdminister, only, token, getClient, createUploader }
}

/** An admin acts for the instance. Undefined for another instance than that of the token. */
function getClient(id: string): InstanceClient | undefined {
  const credential = findCredential(id)
  if (!credential) return undefined
  const client = clients.get(id) ?? connectInstance({ ...gateway, ...credential })
  clients.set(id, client)
  return client
}

/** The same for requests with large bodies: `onProgress` is called with the bytes that were sent. */
function createUploader(id: string, onProgress: (bytes: number) => void): InstanceClient | undefined {
  const credential = findCredential(id)
  const upload = createUploadingFetch(onProgress)
  const fetch: typeof upload = (input, init) => sendAsUser(() => upload(input, init))
  return credential && connectInstance({ ...gateway, fetch, timeoutMs: UPLOAD_MS, ...credential })
}

function findCredential(id: string) {
  const { adminToken, only, token = '' } = signedIn ?? {}
  if (!adminToken && only !== id) return undefined
  return adminToken ? { adminToken, instance: id } : { token }
}

/** Throws a GatewayError with code `unauthorized` if the token is not known. */
export async function signIn(token: string, remember: boolean): Promise<void> {
  remembered = remember
  const adminClient = connectAdmin({ ...gateway, adminToken: token })
  const signInAsInstance = async () => {
    const { instance } = await connectInstance({ ...gateway, token }).status()
    signedIn = { only: instance.id, token }
  }
  if (token.startsWith('mgi_')) await signInAsInstance()
  else
    try {
      const { scope } = await adminClient.capabilities()
      admin = adminClient
      signedIn = { adminToken: token, scope }
    } catch (error) {
      if (!(error instanceof GatewayError && error.status === 401) || token.startsWith('mga_')) throw error
      await signInAsInstance()
    }
  hasTokenEnded = false
  publishSession()
}

/** In every tab of this browser. */
export function signOut(): void {
  endSession()
  otherTabs.postMessage('signed out')
}

function endSession(): void {
  localStorage.removeItem(STORAGE_KEY)
  // What pages stored for this tab belongs to the user who leaves.
  sessionStorage.clear()
  signedIn = undefined
  hasTokenEnded = false
  admin = undefined
  remembered = false
  clients.clear()
  location.hash = ''
  publishSession()
}
