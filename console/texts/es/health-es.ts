// The texts of the page “Health”, in Spanish.

import type { health as english } from '../en/health-texts.ts'

export const health: typeof english = {
  worst: {
    good: 'Todo funciona.',
    warn: 'Funciona, con una limitación que se indica abajo.',
    bad: 'Algo no funciona. Se indica abajo.',
  },
  kinds: { good: 'Funciona', warn: 'Atención', bad: 'Caído' },
  server: 'Servidor',
  serverUp: 'Responde.',
  serverDown: 'No responde. No se sabe nada más.',
  database: 'Base de datos',
  databaseUp: 'Responde: se guardan instancias, eventos y entregas.',
  databaseDown:
    'No responde. Las solicitudes se rechazan con 502 y se pueden enviar de nuevo. No se pierde ningún dato.',
  hosts: 'Hosts de sesiones',
  hostsUp: (count) =>
    count === 1 ? 'Uno está activo y acepta instancias.' : `${count} están activos y aceptan instancias.`,
  hostsFull:
    'Ningún host acepta otra instancia: todos están llenos o se están vaciando. Las instancias conectadas siguen conectadas.',
  hostsDown:
    'Ningún host está activo: no se puede enviar ni recibir nada hasta que uno vuelva. Los eventos guardados se siguen entregando.',
  instances: 'Instancias',
  instancesSummary: (on, all, lost) => `${on} de ${all} conectadas${lost ? `, ${lost} conectando` : ''}.`,
  delivery: 'Entrega',
  deliveryUp: 'Ningún webhook está detenido, con fallos o en espera.',
  deliveryDown: (stopped, failing, waiting) =>
    `Webhooks: ${stopped} detenidos, ${failing} con fallos, ${waiting} en espera.`,
  modules: 'Módulos',
  modulesOn: 'Todos están activados.',
  modulesOff: (names) => `Todos están activados salvo: ${names}.`,
}
