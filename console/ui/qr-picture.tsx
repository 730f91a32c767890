// Apart from its users, because two rooms have it: a text as the picture of a QR code, without a margin.

import { buildQr } from './build-qr.ts'

export function QrPicture({ text, alt }: { text: string; alt: string }) {
  const code = buildQr(new TextEncoder().encode(text))
  if (!code) return null
  const path = code.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  const size = code.length
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>`
  return <img class="qr" src={`data:image/svg+xml,${encodeURIComponent(svg)}`} alt={alt} />
}
