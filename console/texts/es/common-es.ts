// The texts that every page of the console has, in Spanish.

import type { common as english } from '../en/common-texts.ts'

export const common: typeof english = {
  name: 'msgnet gateway',
  loading: 'Cargando…',
  close: 'Cerrar',
  answer: { done: (act) => `${act}: hecho.`, undo: 'Deshacer', undone: (act) => `${act}: deshecho.` },
  cancel: 'Cancelar',
  copy: 'Copiar',
  copied: 'Copiado',
  save: 'Guardar',
  requestId: 'id de la solicitud',
  justNow: 'ahora mismo',
  search: 'Buscar',
  table: {
    sort: 'Ordenar por',
    pages: 'Páginas de la lista',
    previous: 'Página anterior',
    next: 'Página siguiente',
    range: (from, to, total) => (total ? `${from}–${to} de ${total}` : `${from}–${to}`),
  },
  absence: {
    gateway: 'El gateway no responde.',
    database: 'La base de datos del gateway no responde.',
    lastGood: (time) => `Última respuesta a las ${time}.`,
    nextTry: (seconds) => `Nuevo intento en ${seconds} s.`,
    trying: 'Intentando de nuevo…',
    tryNow: 'Intentar ahora',
    asOf: (time) => `datos de ${time}`,
  },
  nav: {
    label: 'Páginas',
    menu: 'Menú',
    overview: 'Resumen',
    inbox: 'Bandeja de entrada',
    instances: 'Instancias',
    instance: 'Instancia',
    webhook: 'Webhook del servidor',
    hosts: 'Hosts',
    health: 'Estado',
    tokens: 'Tokens',
    audit: 'Auditoría',
    limits: 'Límites',
    simulation: 'Simulación',
    docs: 'Documentación',
  },
}
