// The simulated phone of an account that needs a passkey: its owner uses it in this browser, and compares the code.

import type { InstanceClient } from '../../client/instance.ts'
import type { Pairing } from '../../shared/contract/instance.ts'
import { PasskeyStep } from '../instances/passkey.tsx'
import { texts } from '../texts.ts'
import { Act } from '../ui/act.tsx'
import { useLoad } from '../ui/load.ts'
import type { Lab } from './lab.ts'

const words = texts.laboratory
const EVERY_MS = 1000

interface Props {
  client: InstanceClient
  lab: Lab
  owner: string
  passkey: NonNullable<Pairing['passkey']>
  reload: () => Promise<void>
}

export function PasskeyPhone({ client, lab, owner, passkey, reload }: Props) {
  const linking = useLoad(() => lab.linking(owner), [owner], EVERY_MS).value
  const answer = async (confirm: boolean) => {
    await lab.confirm(owner, confirm)
    await reload()
  }
  return (
    <>
      {linking?.stage === 'confirmation' ? (
        <>
          <p>{words.phoneShows}</p>
          <p class="pairing-code">{linking.confirmation}</p>
          <div class="line">
            <Act class="main" act={() => answer(true)}>
              {words.isSame}
            </Act>
            <Act act={() => answer(false)}>{words.isOther}</Act>
          </div>
        </>
      ) : (
        <p>{words.goOn}</p>
      )}
      <hr />
      <PasskeyStep
        passkey={passkey}
        send={async (assertion) => {
          await client.sendPasskey({ assertion }).finally(reload)
        }}
      />
    </>
  )
}
