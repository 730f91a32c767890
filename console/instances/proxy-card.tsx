// The card with the proxy of an instance.

import { useState } from 'preact/hooks'
import type { InstanceClient } from '../../client/instance.ts'
import { texts } from '../texts.ts'
import { Act } from '../ui/act.tsx'
import { useLoad } from '../ui/load.ts'
import { Check, Field } from '../ui/parts.tsx'
import { Trouble } from '../ui/trouble.tsx'

const words = texts.instance

export function ProxyCard({ client }: { client: InstanceClient }) {
  const { value, error, set } = useLoad(() => client.proxy.show(), [client])
  const [url, setUrl] = useState('')
  const [wanted, setWanted] = useState<boolean>()
  const [saved, setSaved] = useState(false)
  // The user's choice has priority over the loaded value.
  const on = wanted ?? (value?.proxy_url ? value.enabled : true)
  const save = async () => {
    set(await client.proxy.save({ enable: on, proxy_url: url }))
    setUrl((now) => (now === url ? '' : now))
    setWanted(undefined)
    setSaved(true)
  }
  return (
    <section class="card stack">
      <h2>{words.proxy}</h2>
      <p class="small quiet">{words.proxySays}</p>
      {error !== undefined && <Trouble error={error} />}
      <p class="small">{value?.proxy_url ? <code>{value.proxy_url}</code> : words.proxyNone}</p>
      <Field
        label={words.proxyUrl}
        hint={words.proxyHint}
        value={url}
        onInput={setUrl}
        placeholder="socks5://user:password@proxy.example:1080"
        inputMode="url"
      />
      <Check checked={on} onChange={setWanted}>
        {words.proxyOn}
      </Check>
      <div class="line">
        <Act act={save} disabled={!url.trim() && !value?.proxy_url}>
          {texts.save}
        </Act>
        {value?.proxy_url && (
          <Act act={async () => set(await client.proxy.remove())}>{words.proxyRemove}</Act>
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
