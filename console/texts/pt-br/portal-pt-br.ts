// The Portuguese texts of the page with the webhooks of one instance.

import type { portal as english } from '../en/portal-texts.ts'

export const portal: typeof english = {
  title: 'Seus webhooks',
  intro: (name) => `Como os eventos de “${name}” chegam ao seu servidor.`,
  none: 'No momento, nenhum webhook recebe eventos.',
  stopped: 'Nada é enviado até que o webhook seja salvo de novo. Peça a quem enviou este link.',
}
