// Linking a phone: a QR code that refreshes by itself, or a code that is typed on the phone.

import type { HistoryMode, HistoryProgress } from '@msgnet/shared/contract/history.ts'
import type { DisconnectReason, Pairing } from '@msgnet/shared/contract/instance-requests.ts'
import { useState } from 'preact/hooks'
import { LinkSender } from '../links/link-sender.tsx'
import { texts } from '../texts.ts'
import { ActionButton } from '../ui/action-button.tsx'
import { CopyButton, Field, RadioLine } from '../ui/elements.tsx'
import { ImportForm } from './import-form.tsx'
import type { DeviceProps } from './instance-controls.ts'
import { PasskeyPanel } from './passkey-panel.tsx'
import { TimeLeft } from './time-left.tsx'

const words = texts.instance

export function LinkCard(props: DeviceProps) {
  const { session, controls, state, connection } = props
  const { instance, pairing, loggedIn } = connection
  if (loggedIn || (connection.jid && !pairing))
    return <LinkedNote connected={instance.status === 'connected'} history={connection.history} />
  return (
    <section class="card stack" aria-live="polite">
      <h2>{words.link}</h2>
      {pairing?.passkey ? (
        <PasskeyPanel
          passkey={pairing.passkey}
          account={instance.name}
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
        <>
          <LinkForm
            reason={instance.lastDisconnectReason}
            onStart={async (request) => state.set(await controls.connect(request))}
          />
          {instance.kind === 'msgnet' && <ImportForm {...props} />}
        </>
      )}
      {session.admin && (
        <>
          <hr />
          <LinkSender admin={session.admin} id={instance.id} purpose="device" />
        </>
      )}
    </section>
  )
}

interface LinkFormProps {
  reason: DisconnectReason
  onStart: (request: { phone?: string; history: HistoryMode }) => Promise<void>
}

function LinkForm({ reason, onStart }: LinkFormProps) {
  const [method, setMethod] = useState<'byQr' | 'byCode'>('byQr')
  const [phone, setPhone] = useState('')
  const [history, setHistory] = useState<HistoryMode>('none')
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
      <HistoryChoice value={history} onChange={setHistory} />
      {method === 'byQr' ? (
        <>
          <p class="quiet">{words.linkHint}</p>
          <div>
            <ActionButton class="main" onAction={() => onStart({ history })}>
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
            <ActionButton class="main" onAction={() => onStart({ phone, history })} disabled={!phone.trim()}>
              {words.getCode}
            </ActionButton>
          </div>
        </>
      )}
    </>
  )
}

interface HistoryChoiceProps {
  value: HistoryMode
  onChange: (value: HistoryMode) => void
}

const HistoryChoice = ({ value, onChange }: HistoryChoiceProps) => (
  <div class="stack tight">
    <p class="small quiet">{words.history}</p>
    <RadioLine
      legend={words.history}
      name="history"
      options={(['none', 'recent', 'full'] as const).map((value) => ({
        value,
        label: words.historyModes[value],
      }))}
      value={value}
      onChange={onChange}
    />
  </div>
)

interface LinkedNoteProps {
  connected: boolean
  history: HistoryProgress
}

const LinkedNote = ({ connected, history: { state, progress } }: LinkedNoteProps) => (
  <section class="card stack tight" aria-live="polite">
    <h2>{connected ? words.linked : words.reconnecting}</h2>
    {connected && <p class="quiet">{words.linkedHint}</p>}
    {state !== 'none' && <p class="small quiet">{words.historyStates[state](progress)}</p>}
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
