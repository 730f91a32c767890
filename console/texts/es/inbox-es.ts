// The texts of the inbox, in Spanish.

import type { inbox as english } from '../en/inbox-texts.ts'

export const inbox: typeof english = {
  about:
    'Los chats con mensajes sin leer, de todas las instancias conectadas. Mirarlos no envía confirmación de lectura.',
  none: 'Todo está leído.',
  noneHint: 'Un mensaje nuevo en cualquier instancia conectada aparece aquí solo.',
  noMatch: 'Ningún chat en espera coincide.',
  searchHint: 'Nombre o texto',
  all: 'Todas las instancias',
  messages: 'Mensajes sin leer',
  chats: (count) => (count === 1 ? 'en 1 chat' : `en ${count} chats`),
  more: (name, count) => `${name}: esperan ${count} chats más`,
  newest: (count, total) => `Se muestran las ${count} de ${total} instancias con los eventos más nuevos.`,
  failed: (name) => `No se pudo consultar ${name}.`,
  markRead: (name) => `Marcar ${name} como leído`,
  notify: 'Notificarme aquí',
  notifyOff: 'No notificarme más',
  notifyOn: 'Las notificaciones están activas',
  notifyHint:
    'Este navegador muestra los mensajes nuevos mientras la consola está abierta y fuera de la vista.',
  notifyDenied: 'Este navegador no permite que esta página te notifique. Eso se cambia junto a la dirección.',
}
