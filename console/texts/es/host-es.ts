// The texts of the page “Hosts”, in Spanish.

import type { hosts as english } from '../en/host-texts.ts'

export const hosts: typeof english = {
  description:
    'Un host de sesiones mantiene las conexiones con la red. Una instancia pertenece a un host hasta que acaba la concesión (lease) de ese host.',
  none: 'No hay ningún host de sesiones registrado.',
  noRegion: 'Host de sesiones',
  live: 'Activo',
  away: 'Sin conexión',
  draining: 'Vaciándose',
  sessions: (count, slots) => `${count} de ${slots} lugares en uso`,
  lease: 'Concesión',
  leaseLeft: (seconds) => `acaba en ${seconds} s; se renueva continuamente`,
  lag: 'Retraso del bucle',
  slow: 'Lento',
  store: 'Almacén',
  drain: 'Vaciar',
  drainTitle: '¿Retirar este host del servicio?',
  drainHint:
    'No recibe instancias nuevas, y las suyas pasan a hosts que comparten su almacén. Reinicia el host para terminar esto.',
  remove: 'Quitar',
}
