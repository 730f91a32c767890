// Linking a phone: a QR code that refreshes by itself, or a code that is typed on the phone.

import { useState } from 'preact/hooks'
import type { AdminClient } from '../../client/admin-client.ts'
import type { DisconnectReason, Pairing } from '../../shared/contract/instance-requests.ts'
import { texts } from '../texts.ts'
import { ActionButton, Button } from '../ui/action-button.tsx'
import { CopyButton, Field, RadioLine } from '../ui/elements.tsx'
import type { DeviceProps } from './instance-controls.ts'
import { PasskeyPanel } from './passkey-panel.tsx'
import { SendLinkDialog } from './send-link-dialog.tsx'
import { TimeLeft } from './time-left.tsx'

const words = texts.instance

export function LinkCard({ session, controls, state, connection }: DeviceProps) {
  const { instance, pairing, loggedIn } = connection
  if (loggedIn || (connection.jid && !pairing))
    return <LinkedNote connected={instance.status === 'connected'} />
  return (
    <section class="card stack" aria-live="polite">
      <div class="line even">
        <h2>{words.link}</h2>
        {session.admin && <SendLink admin={session.admin} id={instance.id} />}
      </div>
      {pairing?.passkey ? (
        <PasskeyPanel
          passkey={pairing.passkey}
          sendAssertion={async (assertion) => {
            // After a refusal the status has a new challenge.
            state.set(await controls.sendPasskey({ assertion }).finally(state.reload))
          }}
        />
      ) : pairing ? (
        <PairingCode pairing={pairing} />
      ) : instance.status === 'connecting' ? (
        <p class="quiet">{words.requesting}</p>
      ) : (
        <LinkForm
          reason={instance.lastDisconnectReason}
          onStart={async (request) => state.set(await controls.connect(request))}
        />
      )}
    </section>
  )
}

function SendLink({ admin, id }: { admin: AdminClient; id: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>{texts.links.send}</Button>
      {isOpen && <SendLinkDialog admin={admin} id={id} onClose={() => setOpen(false)} />}
    </>
  )
}

interface LinkFormProps {
  reason: DisconnectReason
  onStart: (request: { phone?: string }) => Promise<void>
}

function LinkForm({ reason, onStart }: LinkFormProps) {
  const [method, setMethod] = useState<'byQr' | 'byCode'>('byQr')
  const [phone, setPhone] = useState('')
  return (
    <>
      {isEndOfPairing(reason) && <p class="note warn">{texts.reasons[reason]}</p>}
      <RadioLine
        legend={words.link}
        name="method"
        options={(['byQr', 'byCode'] as const).map((value) => ({ value, label: words[value] }))}
        value={method}
        onChange={setMethod}
      />
      {method === 'byQr' ? (
        <>
          <p class="quiet">{words.linkHint}</p>
          <div>
            <ActionButton class="main" onAction={() => onStart({})}>
              {words.getQr}
            </ActionButton>
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
            <ActionButton class="main" onAction={() => onStart({ phone })} disabled={!phone.trim()}>
              {words.getCode}
            </ActionButton>
          </div>
        </>
      )}
    </>
  )
}

const LinkedNote = ({ connected }: { connected: boolean }) => (
  <section class="card stack tight" aria-live="polite">
    <h2>{connected ? words.linked : words.reconnecting}</h2>
    {connected && <p class="quiet">{words.linkedHint}</p>}
  </section>
)

const isEndOfPairing = (reason: DisconnectReason): boolean =>
  reason === 'pairing_expired' || reason === 'passkey_required'

const FULL_MS = 60_000

function PairingCode({ pairing }: { pairing: Pairing }) {
  const formatLeft = (seconds: number) =>
    seconds === 0
      ? words.renewing
      : pairing.method === 'qr'
        ? words.refreshes(seconds)
        : words.codeEnds(seconds)
  return (
    <div class="stack">
      <p class="quiet">{words.linkHint}</p>
      {pairing.method === 'qr' ? (
        <img class="qr" src={pairing.qrcode} alt={words.qrAlt} />
      ) : (
        <p class="line">
          <span class="pairing-code">{pairing.code}</span>
          <CopyButton text={pairing.code} />
        </p>
      )}
      <TimeLeft until={pairing.expiresAt} fullMs={FULL_MS} formatLeft={formatLeft} />
    </div>
  )
}
