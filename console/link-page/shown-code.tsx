// Apart from link-page.tsx, because it is one picture with its steps. The code of a one-time link's page: a large QR code, or a pairing code to type, each with the steps on the phone and the time left.

import type { Pairing } from '@msgnet/shared/contract/instance-requests.ts'
import { TimeLeft } from '../instances/time-left.tsx'
import { texts } from '../texts.ts'
import { CopyButton } from '../ui/elements.tsx'

const words = texts.linkPage
/** For the bar: the longest that a code is good. */
const fullMs = { qr: 60_000, code: 180_000 }

export function ShownCode({ pairing }: { pairing: Pairing }) {
  const { method, expiresAt } = pairing
  const formatLeft = (seconds: number) =>
    seconds === 0 ? words.renewing : method === 'qr' ? words.refreshes(seconds) : words.codeEnds(seconds)
  return (
    <div class="stack">
      {method === 'qr' ? (
        <img class="qr large" src={pairing.qrcode} alt={words.qrAlt} />
      ) : (
        <p class="line">
          <span class="pairing-code">{pairing.code || '…'}</span>
          {pairing.code && <CopyButton text={pairing.code} />}
        </p>
      )}
      <TimeLeft until={expiresAt} fullMs={fullMs[method]} formatLeft={formatLeft} />
      <ol class="stack tight steps">
        {words.steps[method].map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </div>
  )
}
