// The simulated phone: it scans with a click, and a contact writes and reads messages.

import { useState } from 'preact/hooks'
import type { InstanceClient } from '../../client/instance.ts'
import type { Connection } from '../../shared/contract/answers/instance.ts'
import { makePasskey } from '../passkeys.ts'
import { texts } from '../texts.ts'
import { Act } from '../ui/act.tsx'
import { useLoad } from '../ui/load.ts'
import { Check } from '../ui/parts.tsx'
import type { LogEntry } from './answers.tsx'
import type { InboxMessage, Lab } from './lab.ts'
import { PasskeyPhone } from './passkey-phone.tsx'

const words = texts.laboratory

interface Props {
  client: InstanceClient
  lab: Lab
  connection: Connection
  /** Number of the contact. */
  contact: string
  note: (entry: LogEntry) => void
  reload: () => Promise<void>
}

/** The owner's number beside the contact's. */
const ownerOf = (contact: string) => contact.replace(/^55118/, '55119')

export function Phone(props: Props) {
  const { connection } = props
  return (
    <section class="phone" aria-label={words.phone}>
      <div class="phone-screen stack">
        {connection.loggedIn ? <Contact {...props} /> : <Scanning {...props} />}
      </div>
    </section>
  )
}

function Scanning({ client, lab, connection, contact, note, reload }: Props) {
  const owner = ownerOf(contact)
  const { pairing } = connection
  const [demanding, setDemanding] = useState(false)
  const show = async () => {
    const { pairing: shown } = await client.connect()
    note({
      at: Date.now(),
      asked: 'POST /instance/connect',
      says: shown ? words.shows : words.noCode,
      status: 200,
    })
    await reload()
  }
  const scan = async () => {
    if (pairing?.method !== 'qr') return
    await lab.phone(owner, words.ownerName, { passkey: demanding })
    if (demanding) await lab.addPasskey(owner, await makePasskey(words.ownerName))
    await lab.scan(owner, pairing.qr)
    note({ at: Date.now(), asked: words.phone, says: words.scanned, status: 200 })
    await reload()
  }
  return (
    <>
      <h2>{words.phoneOf(words.ownerName)}</h2>
      <p class="small quiet">+{owner}</p>
      {pairing?.passkey ? (
        <PasskeyPhone {...{ client, lab, owner, reload }} passkey={pairing.passkey} />
      ) : pairing?.method === 'qr' ? (
        <>
          <img class="qr" src={pairing.qrcode} alt={texts.instance.qrAlt} />
          {location.hostname === 'localhost' ? (
            <Check checked={demanding} onChange={setDemanding}>
              {words.needsPasskey}
            </Check>
          ) : (
            <p class="small quiet">{words.passkeyElsewhere}</p>
          )}
          <Act class="main" act={scan}>
            {words.scan}
          </Act>
        </>
      ) : (
        <>
          <p>{words.unlinked}</p>
          <Act class="main" act={show}>
            {texts.instance.getQr}
          </Act>
        </>
      )}
    </>
  )
}

const EVERY_MS = 1500

function Contact({ lab, connection, contact }: Props) {
  const [text, setText] = useState('')
  const [sent, setSent] = useState<InboxMessage[]>([])
  const owner = connection.instance.owner
  const inbox = useLoad(
    async () => {
      await lab.phone(contact, words.contactName)
      const [messages, typing] = await Promise.all([lab.inbox(contact), lab.typing(owner, contact)])
      return { messages, typing }
    },
    [contact, owner],
    EVERY_MS,
  )
  const write = async () => {
    await lab.phone(contact, words.contactName)
    await lab.write(contact, owner, text)
    const mine = { id: String(sent.length), from: contact, type: 'text', text, timestamp: Date.now() }
    setSent((before) => [...before, mine])
    setText((now) => (now === text ? '' : now))
  }
  const said = [...(inbox.value?.messages ?? []), ...sent]
    .sort((a, b) => inMs(a.timestamp) - inMs(b.timestamp))
    .slice(-30)
  return (
    <>
      <div>
        <h2>{words.phoneOf(words.contactName)}</h2>
        <p class="small quiet">+{contact}</p>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
      <div class="phone-talk" role="log" aria-label={words.inbox} tabIndex={0}>
        {said.length === 0 && <p class="small quiet">{words.inboxEmpty}</p>}
        {said.map((message) => (
          <div key={message.id} class={`bubble${message.from === contact ? ' mine' : ''}`}>
            <div class="bubble-card small">
              {message.text || message.caption || message.type}
              {message.from !== contact && (
                <Act class="bare" act={() => lab.receipt(message.id, contact, 'read')}>
                  {words.read}
                </Act>
              )}
            </div>
          </div>
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
        <Act type="submit" class="main" act={write} disabled={!text.trim()}>
          {words.writeDo}
        </Act>
      </form>
    </>
  )
}

/** The network counts in seconds. */
const inMs = (time: number) => (time < 1e12 ? time * 1000 : time)
