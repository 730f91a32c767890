// Linking a phone: a QR code that refreshes by itself, or a code that is typed on the phone.

import { useState } from 'preact/hooks'
import type { Pairing } from '../../shared/contract/instance.ts'
import { texts } from '../texts.ts'
import { Act } from '../ui/act.tsx'
import { useNow } from '../ui/load.ts'
import { Copy, Field } from '../ui/parts.tsx'
import type { DeviceProps } from './acts.ts'

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
      {pairing ? (
        <Shown pairing={pairing} />
      ) : instance.status === 'connecting' ? (
        <p class="quiet">{words.asking}</p>
      ) : (
        <>
          {instance.lastDisconnectReason === 'pairing_expired' && (
            <p class="note warn">{texts.reasons.pairing_expired}</p>
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

const FULL_MS = 60_000

function Shown({ pairing }: { pairing: Pairing }) {
  const now = useNow(500)
  const left = Math.max(0, new Date(pairing.expiresAt).getTime() - now)
  const seconds = Math.ceil(left / 1000)
  const says =
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
      <div class="stack tight" style={{ maxWidth: '280px' }}>
        <div class={`bar${seconds < 6 ? ' warn' : ''}`}>
          <i style={{ width: `${Math.min(100, (left / FULL_MS) * 100)}%` }} />
        </div>
        <span class="small quiet count">{says}</span>
      </div>
    </div>
  )
}
