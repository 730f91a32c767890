// The simulated phone: it scans with a click, and a contact writes and reads messages.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { Connection } from '@msgnet/shared/contract/responses/instance-responses.ts'
import { useState } from 'preact/hooks'
import { createPasskey } from '../browser-passkeys.ts'
import { texts } from '../texts.ts'
import { ActionButton } from '../ui/action-button.tsx'
import { Checkbox } from '../ui/elements.tsx'
import { useLoad } from '../ui/use-load.ts'
import type { LogEntry } from './gateway-panel.tsx'
import { PasskeyPhone } from './passkey-phone.tsx'
import type { InboxMessage, SimulationClient } from './simulation-client.ts'

const words = texts.simulation

interface Props {
  client: InstanceClient
  simulation: SimulationClient
  connection: Connection
  /** Number of the contact. */
  contact: string
  addEntry: (entry: LogEntry) => void
  reload: () => Promise<void>
}

/** The owner's number, which belongs to the contact's number. */
const toOwnerNumber = (contact: string) => contact.replace(/^55118/, '55119')

export function PhonePanel(props: Props) {
  const { connection } = props
  return (
    <section class="phone" aria-label={words.phone}>
      <div class="phone-screen stack">
        {connection.loggedIn ? <ContactScreen {...props} /> : <ScanScreen {...props} />}
      </div>
    </section>
  )
}

function ScanScreen({ client, simulation, connection, contact, addEntry, reload }: Props) {
  const owner = toOwnerNumber(contact)
  const { pairing } = connection
  const [needsPasskey, setNeedsPasskey] = useState(false)
  const requestCode = async () => {
    const { pairing: shown } = await client.connect()
    addEntry({
      at: Date.now(),
      title: 'POST /instance/connect',
      description: shown ? words.shows : words.noCode,
      status: 200,
    })
    await reload()
  }
  const scanCode = async () => {
    if (pairing?.method !== 'qr') return
    await simulation.savePhone(owner, words.ownerName, { passkey: needsPasskey })
    if (needsPasskey) await simulation.addPasskey(owner, await createPasskey(words.ownerName))
    await simulation.scanQr(owner, pairing.qr)
    addEntry({ at: Date.now(), title: words.phone, description: words.scanned, status: 200 })
    await reload()
  }
  return (
    <>
      <h2>{words.phoneOf(words.ownerName)}</h2>
      <p class="small quiet">+{owner}</p>
      {pairing?.passkey ? (
        <PasskeyPhone {...{ client, simulation, owner, reload }} passkey={pairing.passkey} />
      ) : pairing?.method === 'qr' ? (
        <>
          <img class="qr" src={pairing.qrcode} alt={texts.instance.qrAlt} />
          {location.hostname === 'localhost' ? (
            <Checkbox checked={needsPasskey} onChange={setNeedsPasskey}>
              {words.needsPasskey}
            </Checkbox>
          ) : (
            <p class="small quiet">{words.passkeyElsewhere}</p>
          )}
          <ActionButton class="main" onAction={scanCode}>
            {words.scan}
          </ActionButton>
        </>
      ) : (
        <>
          <p>{words.unlinked}</p>
          <ActionButton class="main" onAction={requestCode}>
            {texts.instance.getQr}
          </ActionButton>
        </>
      )}
    </>
  )
}

const RELOAD_MS = 1500

function ContactScreen({ simulation, connection, contact }: Props) {
  const [text, setText] = useState('')
  const [sent, setSent] = useState<InboxMessage[]>([])
  const owner = connection.instance.owner
  const inbox = useLoad(
    async () => {
      await simulation.savePhone(contact, words.contactName)
      const [messages, typing] = await Promise.all([
        simulation.readInbox(contact),
        simulation.isTyping(owner, contact),
      ])
      return { messages, typing }
    },
    [contact, owner],
    RELOAD_MS,
  )
  const writeMessage = async () => {
    await simulation.savePhone(contact, words.contactName)
    await simulation.writeMessage(contact, owner, text)
    const own = { id: String(sent.length), from: contact, type: 'text', text, timestamp: Date.now() }
    setSent((before) => [...before, own])
    setText((now) => (now === text ? '' : now))
  }
  const messages = [...(inbox.value?.messages ?? []), ...sent]
    .sort((a, b) => toMs(a.timestamp) - toMs(b.timestamp))
    .slice(-30)
  return (
    <>
      <div>
        <h2>{words.phoneOf(words.contactName)}</h2>
        <p class="small quiet">+{contact}</p>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
      <div class="phone-talk" role="log" aria-label={words.inbox} tabIndex={0}>
        {messages.length === 0 && <p class="small quiet">{words.inboxEmpty}</p>}
        {messages.map((message) => (
          <InboxBubble
            key={message.id}
            message={message}
            contact={contact}
            onRead={() => simulation.sendReceipt(message.id, contact, 'read')}
          />
        ))}
        {inbox.value?.typing && <p class="small quiet">{words.typing}</p>}
      </div>
      <form class="stack tight" onSubmit={(event) => event.preventDefault()}>
        <input
          aria-label={words.writeAs}
          placeholder={words.writeAs}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <ActionButton type="submit" class="main" onAction={writeMessage} disabled={!text.trim()}>
          {words.writeConfirm}
        </ActionButton>
      </form>
    </>
  )
}

interface InboxBubbleProps {
  message: InboxMessage
  contact: string
  onRead: () => Promise<unknown>
}

const InboxBubble = ({ message, contact, onRead }: InboxBubbleProps) => (
  <div class={`bubble${message.from === contact ? ' mine' : ''}`}>
    <div class="bubble-card small">
      {message.text || message.caption || message.type}
      {message.from !== contact && (
        <ActionButton class="bare" onAction={onRead}>
          {words.read}
        </ActionButton>
      )}
    </div>
  </div>
)

/** The network sends seconds, the console milliseconds. */
const toMs = (time: number) => (time < 1e12 ? time * 1000 : time)
