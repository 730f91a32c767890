// The switches for faults of the simulated network, for this account only.

import { useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { Act } from '../ui/act.tsx'
import type { LogEntry } from './answers.tsx'
import type { Lab } from './lab.ts'

const words = texts.laboratory

interface Props {
  lab: Lab
  /** Digits of the account; empty while none is linked. */
  number: string
  contact: string
  note: (entry: LogEntry) => void
}

const faults = {
  silent: { kind: 'silent' },
  slow: { kind: 'slow', ms: 2000 },
  refuse: { kind: 'ack_error', code: 479 },
  close: { kind: 'close' },
} as const

export function Faults({ lab, number, contact, note }: Props) {
  const [present, setPresent] = useState<string[]>([])
  const tell = (says: string) => note({ at: Date.now(), asked: words.network, says, status: 0 })
  const begin = (name: keyof typeof faults) => async () => {
    await lab.fault({ ...faults[name], number })
    if (name === 'silent') {
      // Requests and messages are separate faults, and a receipt would prove a send and resolve its outcome.
      await lab.fault({ kind: 'silent', tag: 'message', number })
      await lab.phone(contact, words.contactName, { autoReceipt: false })
    }
    tell(words.faults[name].does)
    if (name !== 'close') setPresent((before) => [...before.filter((one) => one !== name), name])
  }
  const others = {
    logOut: () => lab.unlink(number),
    kill: () => lab.killHost(),
  }
  const other = (name: keyof typeof others) => async () => {
    await others[name]()
    tell(words.faults[name].does)
  }
  return (
    <section class="card stack">
      <div class="line even">
        <h2>{words.faultsTitle}</h2>
        {present.length > 0 && <span class="small strong">{words.on(present.length)}</span>}
      </div>
      <p class="small quiet">{number ? words.faultsSay : words.faultsNone}</p>
      <div class="faults">
        {(Object.keys(faults) as (keyof typeof faults)[]).map((name) => (
          <Fault key={name} name={name} on={present.includes(name)} disabled={!number} act={begin(name)} />
        ))}
        <Fault name="logOut" disabled={!number} act={other('logOut')} />
        <Fault name="kill" act={other('kill')} />
      </div>
      <Act
        act={async () => {
          await lab.endFaults()
          await lab.phone(contact, words.contactName, { autoReceipt: true })
          setPresent([])
          tell(words.ended)
        }}
      >
        {words.endFaults}
      </Act>
    </section>
  )
}

interface FaultProps {
  name: keyof typeof words.faults
  on?: boolean
  disabled?: boolean
  act: () => unknown
}

const Fault = ({ name, on, disabled = false, act }: FaultProps) => (
  <div class={`fault${on ? ' on' : ''}`}>
    <Act act={act} disabled={disabled}>
      {words.faults[name].name}
    </Act>
    <span class="small quiet">{words.faults[name].says}</span>
  </div>
)
