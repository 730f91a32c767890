// The privacy settings of an account: each with its choices, changed one by one.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import { privacyChoices } from '@msgnet/shared/contract/privacy-choices.ts'
import type { Privacy } from '@msgnet/shared/contract/responses/account-responses.ts'
import { useId } from 'preact/hooks'
import type { AccountProps } from '../account-props.ts'
import { texts } from '../texts.ts'
import { useAction } from '../ui/action-button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { LoadedContent } from '../ui/list-page.tsx'
import { useLoad } from '../ui/use-load.ts'

const words = texts.account.privacy

type Name = keyof Privacy

export function PrivacyPage({ client }: AccountProps) {
  const loaded = useLoad(() => client.getPrivacy(), [client])
  return (
    <>
      <p class="quiet">{words.description}</p>
      <LoadedContent loaded={loaded} skeletonRows={7}>
        {(privacy) => (
          <ul class={`settings${loaded.isStale ? ' stale' : ''}`} aria-label={texts.instance.tabs.privacy}>
            {(Object.keys(words.names) as Name[]).map((name) => (
              <Setting key={name} {...{ client, name }} present={privacy[name]} onChange={loaded.set} />
            ))}
          </ul>
        )}
      </LoadedContent>
    </>
  )
}

interface SettingProps {
  client: InstanceClient
  name: Name
  present: string
  onChange: (privacy: Privacy) => void
}

function Setting({ client, name, present, onChange }: SettingProps) {
  const action = useAction()
  const id = useId()
  const choices: readonly string[] = privacyChoices[name]
  // The network may have values that cannot be set here.
  const shown = choices.includes(present) ? choices : [present, ...choices]
  const saveChoice = (choice: string) =>
    action.run(async () => onChange(await client.changePrivacy({ [name]: choice })))
  return (
    <li class="setting">
      <div class="grow">
        <label class="strong" for={id}>
          {words.names[name]}
        </label>
        <p class="small quiet">{words.hints[name]}</p>
      </div>
      <select
        id={id}
        class="choice"
        value={present}
        disabled={action.busy}
        onChange={(event) => {
          const choice = event.currentTarget.value
          // Until the network has accepted it, the present value is shown.
          event.currentTarget.value = present
          void saveChoice(choice)
        }}
      >
        {shown.map((choice) => (
          <option key={choice} value={choice}>
            {words.values[choice] ?? choice}
          </option>
        ))}
      </select>
      {action.error !== undefined && <ErrorNote error={action.error} onClose={action.clearError} />}
    </li>
  )
}
