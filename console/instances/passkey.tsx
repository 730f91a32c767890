// The passkey that an account demands before a device is linked: made in this browser, or pasted; then the code to compare.

import { useEffect, useState } from 'preact/hooks'
import type { Pairing } from '../../shared/contract/instance.ts'
import type { PasskeyAssertion, PasskeyOptions } from '../../shared/contract/passkey.ts'
import { addressWithPasskeys, belongsHere, readAssertion, signHere, snippetFor } from '../passkeys.ts'
import { texts } from '../texts.ts'
import { Act } from '../ui/act.tsx'
import { Secret } from '../ui/parts.tsx'
import { TimeLeft } from './time-left.tsx'

const words = texts.passkey

interface Props {
  passkey: NonNullable<Pairing['passkey']>
  send: (assertion: PasskeyAssertion) => Promise<void>
}

/** For the bar: the longest that a challenge is good. */
const FULL_MS = 600_000

export function PasskeyStep({ passkey, send }: Props) {
  const { options, confirmation, expiresAt } = passkey
  return (
    <div class="stack">
      {confirmation ? (
        <>
          <h3>{words.compare}</h3>
          <p>
            <span class="pairing-code">{confirmation}</span>
          </p>
          <p class="quiet">{words.compareSays}</p>
        </>
      ) : (
        <>
          <h3>{words.title}</h3>
          <p class="quiet">{words.says}</p>
          <Assertion options={options} send={send} />
        </>
      )}
      <TimeLeft until={expiresAt} fullMs={FULL_MS} says={formatLeft} />
    </div>
  )
}

function formatLeft(seconds: number): string {
  if (seconds === 0) return words.over
  return words.left(`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`)
}

function Assertion({ options, send }: { options: PasskeyOptions; send: Props['send'] }) {
  const address = addressWithPasskeys(options)
  if (belongsHere(options))
    return (
      <div>
        <Act class="main" act={async () => send(await signHere(options))}>
          {words.use}
        </Act>
      </div>
    )
  if (address)
    return (
      <p class="note">
        {words.hereOnly} <a href={address}>{address}</a>
      </p>
    )
  return <Elsewhere options={options} send={send} />
}

function Elsewhere({ options, send }: { options: PasskeyOptions; send: Props['send'] }) {
  const [pasted, setPasted] = useState('')
  const { challenge } = options
  // An assertion answers one challenge.
  useEffect(() => setPasted(''), [challenge])
  const site = options.rpId ?? ''
  const [open, run, paste] = words.steps(site)
  return (
    <>
      <p class="note">{words.elsewhere(site)}</p>
      <ol class="stack tight">
        <li>{open}</li>
        <li>
          {run}
          <Secret text={snippetFor(options)} />
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
        <Act class="main" act={() => send(readAssertion(pasted))} disabled={!pasted.trim()}>
          {words.send}
        </Act>
      </div>
    </>
  )
}
