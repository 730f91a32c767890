// The card with the proxy of an instance.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import { useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { ActionButton } from '../ui/action-button.tsx'
import { Checkbox, Field } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useLoad } from '../ui/use-load.ts'

const words = texts.instance

export function ProxyCard({ client }: { client: InstanceClient }) {
  const { value, error, set } = useLoad(() => client.proxy.show(), [client])
  const [url, setUrl] = useState('')
  const [choice, setChoice] = useState<boolean>()
  const [saved, setSaved] = useState(false)
  // The user's choice has priority over the loaded value.
  const on = choice ?? (value?.proxy_url ? value.enabled : true)
  const saveProxy = async () => {
    set(await client.proxy.save({ enable: on, proxy_url: url }))
    setUrl((now) => (now === url ? '' : now))
    setChoice(undefined)
    setSaved(true)
  }
  return (
    <section class="card stack">
      <h2>{words.proxy}</h2>
      <p class="small quiet">{words.proxyIntro}</p>
      {error !== undefined && <ErrorNote error={error} />}
      <p class="small">{value?.proxy_url ? <code>{value.proxy_url}</code> : words.proxyNone}</p>
      <Field
        label={words.proxyUrl}
        hint={words.proxyHint}
        value={url}
        onInput={setUrl}
        placeholder="socks5://user:password@proxy.example:1080"
        inputMode="url"
      />
      <Checkbox checked={on} onChange={setChoice}>
        {words.proxyOn}
      </Checkbox>
      <div class="line">
        <ActionButton onAction={saveProxy} disabled={!url.trim() && !value?.proxy_url}>
          {texts.save}
        </ActionButton>
        {value?.proxy_url && (
          <ActionButton onAction={async () => set(await client.proxy.remove())}>
            {words.proxyRemove}
          </ActionButton>
        )}
        {saved && (
          <span class="small quiet" role="status">
            {words.saved}
          </span>
        )}
      </div>
    </section>
  )
}
