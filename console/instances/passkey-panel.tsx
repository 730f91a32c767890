// The passkey that an account demands before a device is linked: made in this browser, or pasted; then the code to compare.

import type { Pairing } from '@msgnet/shared/contract/instance-requests.ts'
import type { PasskeyAssertion, PasskeyOptions } from '@msgnet/shared/contract/passkey-requests.ts'
import { useEffect, useState } from 'preact/hooks'
import {
  buildSnippet,
  canSignHere,
  findPasskeyAddress,
  readAssertion,
  signInBrowser,
} from '../browser-passkeys.ts'
import { useExtension } from '../extension-passkeys.ts'
import { texts } from '../texts.ts'
import { ActionButton, useAction } from '../ui/action-button.tsx'
import { SecretText } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { TimeLeft } from './time-left.tsx'

const words = texts.passkey

interface Props {
  passkey: NonNullable<Pairing['passkey']>
  /** What is linked, as the person knows it. */
  account: string
  sendAssertion: (assertion: PasskeyAssertion) => Promise<void>
}

/** For the bar: the longest that a challenge is good. */
const FULL_MS = 600_000

export function PasskeyPanel(props: Props) {
  const { confirmation, expiresAt } = props.passkey
  return (
    <div class="stack">
      {confirmation ? (
        <>
          <h2 class="passkey-title">{words.compare}</h2>
          <p>
            <span class="pairing-code">{confirmation}</span>
          </p>
          <p class="quiet">{words.compareHint}</p>
        </>
      ) : (
        <>
          <h2 class="passkey-title">{words.title}</h2>
          <p class="quiet">{words.description}</p>
          <PasskeyControl {...props} />
        </>
      )}
      <TimeLeft until={expiresAt} fullMs={FULL_MS} formatLeft={formatLeft} />
    </div>
  )
}

function formatLeft(seconds: number): string {
  if (seconds === 0) return words.expired
  return words.left(`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`)
}

function PasskeyControl(props: Props) {
  const { sendAssertion } = props
  const { options } = props.passkey
  const address = findPasskeyAddress(options)
  if (canSignHere(options))
    return (
      <div>
        <ActionButton class="main" onAction={async () => sendAssertion(await signInBrowser(options))}>
          {words.use}
        </ActionButton>
      </div>
    )
  if (address)
    return (
      <p class="note">
        {words.hereOnly} <a href={address}>{address}</a>
      </p>
    )
  return (
    <>
      <p class="note">{words.elsewhere(options.rpId ?? '')}</p>
      <ExtensionOffer {...props} />
      <PasteAssertion options={options} sendAssertion={sendAssertion} />
    </>
  )
}

/** The easier way, where the extension knows the site of the passkey. */
function ExtensionOffer({ passkey, account, sendAssertion }: Props) {
  const action = useAction()
  const address = useExtension(passkey, account, (assertion) => action.run(() => sendAssertion(assertion)))
  if (!address) return null
  return (
    <>
      <h3>{words.extension.title}</h3>
      <p>{words.extension.description}</p>
      <p>
        <a class="button main" href={address} target="_blank" rel="noreferrer">
          {words.extension.open}
        </a>
      </p>
      {action.error !== undefined && <ErrorNote error={action.error} />}
      <h3>{words.extension.otherwise}</h3>
    </>
  )
}

function PasteAssertion({
  options,
  sendAssertion,
}: {
  options: PasskeyOptions
  sendAssertion: Props['sendAssertion']
}) {
  const [pasted, setPasted] = useState('')
  const { challenge } = options
  // An assertion answers one challenge.
  useEffect(() => setPasted(''), [challenge])
  const site = options.rpId ?? ''
  const [open, run, paste] = words.steps(site)
  return (
    <>
      <ol class="stack tight steps">
        <li>{open}</li>
        <li>
          {run}
          <SecretText text={buildSnippet(options)} />
        </li>
        <li>
          {paste}
          <textarea
            rows={3}
            aria-label={words.pasted}
            value={pasted}
            onInput={(event) => setPasted(event.currentTarget.value)}
          />
        </li>
      </ol>
      <div>
        <ActionButton
          class="main"
          onAction={() => sendAssertion(readAssertion(pasted))}
          disabled={!pasted.trim()}
        >
          {words.send}
        </ActionButton>
      </div>
    </>
  )
}
