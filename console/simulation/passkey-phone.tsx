// The simulated phone of an account that needs a passkey: its owner uses it in this browser, and compares the code.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { Pairing } from '@msgnet/shared/contract/instance-requests.ts'
import { PasskeyPanel } from '../instances/passkey-panel.tsx'
import { texts } from '../texts.ts'
import { ActionButton } from '../ui/action-button.tsx'
import { useLoad } from '../ui/use-load.ts'
import type { SimulationClient } from './simulation-client.ts'

const words = texts.simulation
const RELOAD_MS = 1000

interface Props {
  client: InstanceClient
  simulation: SimulationClient
  owner: string
  passkey: NonNullable<Pairing['passkey']>
  reload: () => Promise<void>
}

export function PasskeyPhone({ client, simulation, owner, passkey, reload }: Props) {
  const linking = useLoad(() => simulation.readLinking(owner), [owner], RELOAD_MS).value
  const confirmCode = async (confirm: boolean) => {
    await simulation.confirmLinking(owner, confirm)
    await reload()
  }
  return (
    <>
      {linking?.stage === 'confirmation' ? (
        <>
          <p>{words.phoneShows}</p>
          <p class="pairing-code">{linking.confirmation}</p>
          <div class="line">
            <ActionButton class="main" onAction={() => confirmCode(true)}>
              {words.isSame}
            </ActionButton>
            <ActionButton onAction={() => confirmCode(false)}>{words.isDifferent}</ActionButton>
          </div>
        </>
      ) : (
        <p>{words.continue}</p>
      )}
      <hr />
      <PasskeyPanel
        passkey={passkey}
        account={owner}
        sendAssertion={async (assertion) => {
          await client.sendPasskey({ assertion }).finally(reload)
        }}
      />
    </>
  )
}
