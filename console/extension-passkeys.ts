// How a page of the gateway asks the browser extension on the network's own site for an assertion, and gets it: by the addresses of pages, which reach no server, and by a channel that only pages of this origin hear.

import type { PasskeyAssertion, PasskeyOptions } from '@msgnet/shared/contract/passkey-requests.ts'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { readAssertion } from './browser-passkeys.ts'

/** Where the extension runs, by the site of the passkey. */
const EXTENSION_PAGES: Record<string, string> = { 'whatsapp.com': 'https://web.whatsapp.com/' }
/** What follows it in the address of a page of this gateway is the answer. */
const ANSWER_PREFIX = '#passkey='
const CHANNEL = 'msgnet-passkey'
const NONCE_BYTES = 16
const TAKEN_WAIT_MS = 3000

interface Answer {
  nonce: string
  assertion: PasskeyAssertion
}

/** Undefined for a passkey of another site. */
export function useExtension(
  { options, expiresAt }: { options: PasskeyOptions; expiresAt: string },
  account: string,
  onAssertion: (assertion: PasskeyAssertion) => void,
): string | undefined {
  const page = EXTENSION_PAGES[options.rpId ?? '']
  const [turn, setTurn] = useState(0)
  const nonce = useMemo(createNonce, [options.challenge, turn])
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL)
    channel.onmessage = ({ data }: MessageEvent<Answer>) => {
      if (data.nonce !== nonce || !('assertion' in data)) return
      channel.postMessage({ nonce, isTaken: true })
      // Each request has one answer.
      setTurn(turn + 1)
      onAssertion(readAssertion(JSON.stringify(data.assertion)))
    }
    return () => channel.close()
  }, [nonce])
  if (!page) return undefined
  const request = { origin: location.origin, nonce, account, expiresAt: Date.parse(expiresAt), options }
  return `${page}#msgnet-passkey=${encodeURIComponent(JSON.stringify(request))}`
}

function createNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

export const isAnswer = (hash: string): boolean => hash.startsWith(ANSWER_PREFIX)

/** Hands the answer to the page that asked. False if it is not open any more, or asks for something else now. */
export function deliverAnswer(hash: string): Promise<boolean> {
  let answer: Answer
  try {
    answer = JSON.parse(decodeURIComponent(hash.slice(ANSWER_PREFIX.length)))
  } catch {
    return Promise.resolve(false)
  }
  const channel = new BroadcastChannel(CHANNEL)
  return new Promise((resolve) => {
    const end = (isTaken: boolean) => {
      clearTimeout(timer)
      channel.close()
      resolve(isTaken)
    }
    const timer = setTimeout(end, TAKEN_WAIT_MS, false)
    channel.onmessage = ({ data }: MessageEvent<{ nonce: string; isTaken?: true }>) => {
      if (data.nonce === answer.nonce && data.isTaken) end(true)
    }
    channel.postMessage(answer)
  })
}
