// The texts of the tab “Deliveries”, in Spanish.

import type { deliveries as english } from '../en/delivery-texts.ts'

export const deliveries: typeof english = {
  title: 'Entregas',
  filter: 'Resultado',
  all: 'Todos',
  none: 'Aquí no hay eventos.',
  noReceiver: 'Sin destino',
  states: { pending: 'En espera', delivered: 'Entregado', dead: 'Fallido' },
  attempts: (count) => (count === 1 ? '1 intento' : `${count} intentos`),
  attemptsLabel: 'Intentos',
  outcome: 'Resultado',
  happened: 'Hora',
  lastAttempt: 'Último intento',
  nextAttempt: 'Próximo intento',
  answered: (status) => `· respondió con ${status}`,
  payload: 'Contenido',
  showPayload: 'Mostrar el contenido',
  chart: 'Los últimos 200 eventos por resultado',
  replayDead: 'Reenviar los fallidos',
  replayOne: 'Entregar de nuevo',
  replayTitle: 'Entregar de nuevo',
  replayConfirm: 'Reenviar',
  replayHint: 'Los eventos conservan sus ids y bytes: el destino reconoce uno repetido por su webhook-id.',
  counting: 'Contando…',
  matched: (count) =>
    count === 1 ? 'Se entregaría de nuevo 1 evento.' : `Se entregarían de nuevo ${count} eventos.`,
  queued: (count) => (count === 1 ? '1 evento está en cola.' : `${count} eventos están en cola.`),
}
