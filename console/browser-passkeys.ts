// Creates the assertion of a passkey in this browser, or reads one that was created on the network's own site.

import type { PasskeyAssertion, PasskeyOptions } from '@msgnet/shared/contract/passkey-requests.ts'
import { texts } from './texts.ts'

const words = texts.passkey

/** A browser gives a site only its own passkeys, and those of the domains above it. */
export function canSignHere({ rpId }: PasskeyOptions): boolean {
  const { hostname } = location
  return (
    rpId !== undefined && (hostname === rpId || hostname.endsWith(`.${rpId}`)) && 'credentials' in navigator
  )
}

/** This page under the name of the machine, if that is what its passkeys belong to: an address of numbers has none. */
export function findPasskeyAddress({ rpId }: PasskeyOptions): string | undefined {
  if (rpId !== 'localhost' || location.hostname !== '127.0.0.1') return undefined
  return location.href.replace('//127.0.0.1', '//localhost')
}

export async function signInBrowser(options: PasskeyOptions): Promise<PasskeyAssertion> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  )
  const credential = await navigator.credentials.get({ publicKey }).catch((cause) => {
    throw new Error(words.none(options.rpId ?? ''), { cause })
  })
  if (!(credential instanceof PublicKeyCredential)) throw new Error(words.none(options.rpId ?? ''))
  return credential.toJSON() as PasskeyAssertion
}

const ES256 = -7

/** A new passkey of this site, for the simulation's phone. */
export async function createPasskey(owner: string): Promise<unknown> {
  const createBytes = () => crypto.getRandomValues(new Uint8Array(32))
  const credential = await navigator.credentials.create({
    publicKey: {
      rp: { id: location.hostname, name: texts.name },
      user: { id: createBytes(), name: owner, displayName: owner },
      challenge: createBytes(),
      pubKeyCredParams: [{ type: 'public-key', alg: ES256 }],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    },
  })
  if (!(credential instanceof PublicKeyCredential)) throw new Error(words.none(location.hostname))
  return credential.toJSON()
}

/** For the console of a browser on the network's own site: it copies the assertion. */
export const buildSnippet = (options: PasskeyOptions): string =>
  `copy(JSON.stringify((await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)}) })).toJSON()))`

export function readAssertion(text: string): PasskeyAssertion {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new Error(words.noAssertion, { cause })
  }
  if (!isAssertion(value)) throw new Error(words.noAssertion)
  return value
}

/** As far as a person can have copied something else: the gateway checks every field, and its schemas would be a quarter of the page. */
function isAssertion(value: unknown): value is PasskeyAssertion {
  const { id, rawId, response } = (value ?? {}) as Partial<PasskeyAssertion>
  const { clientDataJSON, authenticatorData, signature } = response ?? {}
  return [id, rawId, clientDataJSON, authenticatorData, signature].every((part) => typeof part === 'string')
}
