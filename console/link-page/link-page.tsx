// The page behind a one-time link: the person with the phone links it here, by a code for this phone or a QR code for another screen.

import { GatewayError } from '@msgnet/client/errors.ts'
import type { LinkState } from '@msgnet/shared/contract/responses/link-responses.ts'
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatMoment } from '../formats.ts'
import { PasskeyPanel } from '../instances/passkey-panel.tsx'
import { texts } from '../texts.ts'
import { Button, useAction } from '../ui/action-button.tsx'
import { Field, Loading, RadioLine } from '../ui/elements.tsx'
import type { LinkClient } from './link-client.ts'
import { OutcomeNote } from './outcome-note.tsx'
import { ShownCode } from './shown-code.tsx'
import { useLinkState } from './use-link-state.ts'

const words = texts.linkPage

/** Where the browser extension has brought an answer to: the page that asked for it goes on. */
export function AnswerPage({ isTaken }: { isTaken: boolean }) {
  const { taken, notTaken } = texts.passkey.extension
  const { title, hint } = isTaken ? taken : notTaken
  return (
    <main class="alone link-page">
      <h1>{words.title}</h1>
      <section class="card stack">
        <OutcomeNote title={title} description={hint} />
      </section>
    </main>
  )
}

/** A phone cannot scan its own screen. */
const isSmallScreen = (): boolean => matchMedia('(max-width: 600px)').matches

type Method = 'code' | 'qr'

export function LinkPage({ client }: { client: LinkClient }) {
  const { state, hasEnded, isOffline, applyState, endLink } = useLinkState(client, {
    isFinal: ({ isUsed }) => isUsed,
  })
  useEffect(() => {
    document.title = words.title
  }, [])
  return (
    <main class="alone link-page">
      <h1>{words.title}</h1>
      {state && !hasEnded && <p class="quiet">{words.intro(state.name)}</p>}
      {isOffline && !hasEnded && (
        <p class="note warn" role="status">
          {words.offline}
        </p>
      )}
      <section class="card stack">
        {hasEnded ? (
          <OutcomeNote title={words.ended} description={words.endedHint} />
        ) : !state ? (
          <Loading />
        ) : state.isUsed ? (
          <OutcomeNote title={words.linked} description={words.linkedHint} />
        ) : (
          <Steps client={client} state={state} onState={applyState} onEnd={endLink} />
        )}
      </section>
      {state && !state.isUsed && !hasEnded && (
        <p class="small quiet">{words.until(formatMoment(state.expiresAt))}</p>
      )}
    </main>
  )
}

interface StepsProps {
  client: LinkClient
  state: LinkState
  onState: (state: LinkState) => void
  onEnd: () => void
}

function Steps({ client, state, onState, onEnd }: StepsProps) {
  const [method, setMethod] = useState<Method>(state.pairing?.method ?? (isSmallScreen() ? 'code' : 'qr'))
  const action = useAction()
  const requestCode = (phone?: string) =>
    action.run(async () => {
      try {
        onState(await client.connect(phone === undefined ? {} : { phone }))
      } catch (error) {
        if (error instanceof GatewayError && error.status === 401) return onEnd()
        throw new Error(explainRefusal(error), { cause: error })
      }
    })
  useFirstCode(() => {
    if (method === 'qr' && state.status === 'disconnected' && !state.reason) void requestCode()
  })
  const { pairing, status, reason } = state
  if (pairing?.passkey)
    return (
      <PasskeyPanel
        passkey={pairing.passkey}
        account={state.name}
        sendAssertion={async (assertion) => onState(await client.sendPasskey(assertion))}
      />
    )
  const isShown = pairing?.method === method
  return (
    <>
      <RadioLine
        legend={words.method}
        name="method"
        options={(['code', 'qr'] as const).map((value) => ({ value, label: words.methods[value] }))}
        value={method}
        onChange={setMethod}
      />
      {isShown && pairing ? (
        <ShownCode pairing={pairing} />
      ) : action.busy || (status === 'connecting' && !pairing) ? (
        <p class="quiet">{words.requesting}</p>
      ) : (
        <>
          {reason && !pairing && <p class="note warn">{words.reasons[reason]}</p>}
          <RequestForm method={method} onRequest={requestCode} />
        </>
      )}
      {isShown && method === 'code' && !action.busy && (
        <RequestForm method="code" again onRequest={requestCode} />
      )}
      {action.error instanceof Error && (
        <p class="trouble" role="alert">
          {action.error.message}
        </p>
      )}
    </>
  )
}

/** Once, when the page has read its first state. */
function useFirstCode(start: () => void): void {
  const isStarted = useRef(false)
  useEffect(() => {
    if (isStarted.current) return
    isStarted.current = true
    start()
  })
}

interface FormProps {
  method: Method
  /** A code is shown already. */
  again?: boolean
  onRequest: (phone?: string) => unknown
}

function RequestForm({ method, again, onRequest }: FormProps) {
  const [phone, setPhone] = useState('')
  const [isOpen, setOpen] = useState(!again)
  if (!isOpen)
    return (
      <div>
        <Button class="bare" onClick={() => setOpen(true)}>
          {words.otherNumber}
        </Button>
      </div>
    )
  const submitForm = (event: Event) => {
    event.preventDefault()
    onRequest(method === 'code' ? phone : undefined)
  }
  return (
    <form class="stack" onSubmit={submitForm}>
      {method === 'code' ? (
        <Field
          label={words.phone}
          hint={words.phoneHint}
          value={phone}
          onInput={setPhone}
          inputMode="tel"
          required
        />
      ) : (
        <p class="quiet">{words.qrHint}</p>
      )}
      <div>
        <Button class="main" type="submit" disabled={method === 'code' && !phone.trim()}>
          {words.get[method]}
        </Button>
      </div>
    </form>
  )
}

function explainRefusal(error: unknown): string {
  if (!(error instanceof GatewayError)) return words.refusals.unreachable
  return (words.refusals as Record<string, string>)[error.code] ?? words.refusals.other
}
