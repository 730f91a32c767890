// Linking a phone: a QR code that refreshes by itself, or a code that is typed on the phone.

import { useState } from 'preact/hooks'
import type { DisconnectReason, Pairing } from '../../shared/contract/instance.ts'
import { texts } from '../texts.ts'
import { Act } from '../ui/act.tsx'
import { Copy, Field } from '../ui/parts.tsx'
import type { DeviceProps } from './acts.ts'
import { PasskeyStep } from './passkey.tsx'
import { TimeLeft } from './time-left.tsx'

const words = texts.instance

export function Linking({ acts, state, connection }: DeviceProps) {
  const [way, setWay] = useState<'byQr' | 'byCode'>('byQr')
  const [phone, setPhone] = useState('')
  const { instance, pairing, loggedIn } = connection
  if (loggedIn || (connection.jid && !pairing)) return <Linked connected={instance.status === 'connected'} />
  const begin = async (request: { phone?: string }) => state.set(await acts.connect(request))
  return (
    <section class="card stack" aria-live="polite">
      <h2>{words.link}</h2>
      {pairing?.passkey ? (
        <PasskeyStep
          passkey={pairing.passkey}
          send={async (assertion) => {
            // After a refusal the status has a new challenge.
            state.set(await acts.sendPasskey({ assertion }).finally(state.reload))
          }}
        />
      ) : pairing ? (
        <Shown pairing={pairing} />
      ) : instance.status === 'connecting' ? (
        <p class="quiet">{words.asking}</p>
      ) : (
        <>
          {isEndOfPairing(instance.lastDisconnectReason) && (
            <p class="note warn">{texts.reasons[instance.lastDisconnectReason]}</p>
          )}
          <fieldset>
            <legend class="unseen">{words.link}</legend>
            <div class="line">
              {(['byQr', 'byCode'] as const).map((each) => (
                <label class="check" key={each}>
                  <input type="radio" name="way" checked={way === each} onChange={() => setWay(each)} />
                  {words[each]}
                </label>
              ))}
            </div>
          </fieldset>
          {way === 'byQr' ? (
            <>
              <p class="quiet">{words.linkSays}</p>
              <div>
                <Act class="main" act={() => begin({})}>
                  {words.getQr}
                </Act>
              </div>
            </>
          ) : (
            <>
              <Field
                label={words.phone}
                hint={words.phoneHint}
                value={phone}
                onInput={setPhone}
                inputMode="tel"
              />
              <div>
                <Act class="main" act={() => begin({ phone })} disabled={!phone.trim()}>
                  {words.getCode}
                </Act>
              </div>
            </>
          )}
        </>
      )}
    </section>
  )
}

const Linked = ({ connected }: { connected: boolean }) => (
  <section class="card stack tight" aria-live="polite">
    <h2>{connected ? words.linked : words.reconnecting}</h2>
    {connected && <p class="quiet">{words.linkedSays}</p>}
  </section>
)

const isEndOfPairing = (reason: DisconnectReason): boolean =>
  reason === 'pairing_expired' || reason === 'passkey_required'

const FULL_MS = 60_000

function Shown({ pairing }: { pairing: Pairing }) {
  const says = (seconds: number) =>
    seconds === 0
      ? words.renewing
      : pairing.method === 'qr'
        ? words.refreshes(seconds)
        : words.codeEnds(seconds)
  return (
    <div class="stack">
      <p class="quiet">{words.linkSays}</p>
      {pairing.method === 'qr' ? (
        <img class="qr" src={pairing.qrcode} alt={words.qrAlt} />
      ) : (
        <p class="line">
          <span class="pairing-code">{pairing.code}</span>
          <Copy text={pairing.code} />
        </p>
      )}
      <TimeLeft until={pairing.expiresAt} fullMs={FULL_MS} says={says} />
    </div>
  )
}
