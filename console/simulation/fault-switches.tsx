// The switches for faults of the simulated network, for this account only.

import { useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { ActionButton } from '../ui/action-button.tsx'
import type { LogEntry } from './gateway-panel.tsx'
import type { SimulationClient } from './simulation-client.ts'

const words = texts.simulation

interface Props {
  simulation: SimulationClient
  /** Digits of the account; empty while none is linked. */
  number: string
  contact: string
  addEntry: (entry: LogEntry) => void
}

const faults = {
  silent: { kind: 'silent' },
  slow: { kind: 'slow', ms: 2000 },
  refuse: { kind: 'ack_error', code: 479 },
  close: { kind: 'close' },
} as const

export function FaultSwitches({ simulation, number, contact, addEntry }: Props) {
  const [active, setActive] = useState<string[]>([])
  const logEffect = (description: string) =>
    addEntry({ at: Date.now(), title: words.network, description, status: 0 })
  const startFault = (name: keyof typeof faults) => async () => {
    await simulation.startFault({ ...faults[name], number })
    if (name === 'silent') {
      // Requests and messages are separate faults, and a receipt would prove a send and resolve its outcome.
      await simulation.startFault({ kind: 'silent', tag: 'message', number })
      await simulation.savePhone(contact, words.contactName, { autoReceipt: false })
    }
    logEffect(words.faults[name].effect)
    if (name !== 'close') setActive((before) => [...before.filter((one) => one !== name), name])
  }
  const actions = {
    logOut: () => simulation.unlinkDevice(number),
    kill: () => simulation.killHost(),
  }
  const runAction = (name: keyof typeof actions) => async () => {
    await actions[name]()
    logEffect(words.faults[name].effect)
  }
  return (
    <section class="card stack">
      <div class="line even">
        <h2>{words.faultsTitle}</h2>
        {active.length > 0 && <span class="small strong">{words.on(active.length)}</span>}
      </div>
      <p class="small quiet">{number ? words.faultsHint : words.faultsNone}</p>
      <div class="faults">
        {(Object.keys(faults) as (keyof typeof faults)[]).map((name) => (
          <FaultSwitch
            key={name}
            name={name}
            on={active.includes(name)}
            disabled={!number}
            onSwitch={startFault(name)}
          />
        ))}
        <FaultSwitch name="logOut" disabled={!number} onSwitch={runAction('logOut')} />
        <FaultSwitch name="kill" onSwitch={runAction('kill')} />
      </div>
      <ActionButton
        onAction={async () => {
          await simulation.endAllFaults()
          await simulation.savePhone(contact, words.contactName, { autoReceipt: true })
          setActive([])
          logEffect(words.ended)
        }}
      >
        {words.endFaults}
      </ActionButton>
    </section>
  )
}

interface FaultProps {
  name: keyof typeof words.faults
  on?: boolean
  disabled?: boolean
  onSwitch: () => unknown
}

const FaultSwitch = ({ name, on, disabled = false, onSwitch }: FaultProps) => (
  <div class={`fault${on ? ' on' : ''}`}>
    <ActionButton onAction={onSwitch} disabled={disabled}>
      {words.faults[name].name}
    </ActionButton>
    <span class="small quiet">{words.faults[name].description}</span>
  </div>
)
