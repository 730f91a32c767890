// The texts of the tab “Deliveries”, in Brazilian Portuguese.

import type { deliveries as english } from '../en/delivery-texts.ts'

export const deliveries: typeof english = {
  title: 'Entregas',
  filter: 'Resultado',
  all: 'Todos',
  none: 'Nenhum evento aqui.',
  noReceiver: 'Sem destino',
  states: { pending: 'Aguardando', delivered: 'Entregue', dead: 'Falhou' },
  attempts: (count) => (count === 1 ? '1 tentativa' : `${count} tentativas`),
  attemptsLabel: 'Tentativas',
  outcome: 'Resultado',
  happened: 'Hora',
  lastAttempt: 'Última tentativa',
  nextAttempt: 'Próxima tentativa',
  answered: (status) => `· respondeu com ${status}`,
  payload: 'Conteúdo',
  showPayload: 'Mostrar o conteúdo',
  chart: 'Os últimos 200 eventos por resultado',
  replayDead: 'Reenviar os que falharam',
  replayOne: 'Entregar de novo',
  replayTitle: 'Entregar de novo',
  replayConfirm: 'Reenviar',
  replayHint: 'Os eventos mantêm seus ids e bytes: o destino reconhece um evento repetido pelo webhook-id.',
  counting: 'Contando…',
  matched: (count) =>
    count === 1 ? '1 evento seria entregue de novo.' : `${count} eventos seriam entregues de novo.`,
  queued: (count) => (count === 1 ? '1 evento está na fila.' : `${count} eventos estão na fila.`),
}
