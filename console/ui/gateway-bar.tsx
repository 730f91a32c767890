// The bar above every page while the gateway or its database is away. It goes when they are back.

import { formatClockSeconds } from '../formats.ts'
import { gatewayWatch, useGatewayState } from '../gateway-watch.ts'
import { texts } from '../texts.ts'
import { Button } from './action-button.tsx'
import { Icon } from './icon.tsx'
import { useNow } from './use-load.ts'

const words = texts.absence

export function GatewayBar() {
  const { absent, lastGoodAt, nextTryAt } = useGatewayState()
  if (!absent) return null
  return (
    <div class="gateway-bar" role="alert">
      <Icon name="warning" />
      <span>{absent === 'database' ? words.database : words.gateway}</span>
      {lastGoodAt !== undefined && (
        <span class="quiet">{words.lastGood(formatClockSeconds(lastGoodAt))}</span>
      )}
      {/* The seconds are not read aloud each time they change. */}
      <span class="quiet count" aria-live="off">
        {nextTryAt === undefined ? words.trying : <Countdown end={nextTryAt} />}
      </span>
      <Button class="small-button" onClick={gatewayWatch.tryNow}>
        {words.tryNow}
      </Button>
    </div>
  )
}

function Countdown({ end }: { end: number }) {
  const now = useNow(500)
  return <>{words.nextTry(Math.max(0, Math.ceil((end - now) / 1000)))}</>
}
