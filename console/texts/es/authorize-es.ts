// The Spanish texts of the page on which a client of `/mcp` is allowed to get a token.

import type { authorize as english } from '../en/authorize-texts.ts'

export const authorize: typeof english = {
  title: 'Permitir un programa',
  question: (name) => `«${name}» pide usar una instancia de este gateway.`,
  identity: 'Descrito por',
  unverified: 'solo por sí mismo',
  unverifiedHint: 'Cualquiera puede dar este nombre a un programa. Permítelo solo si acabas de iniciarlo tú.',
  returnsTo: 'Vuelve a',
  local: 'La respuesta va a un programa de este equipo. Permítelo solo si acabas de iniciar ese programa tú.',
  instance: 'Instancia',
  search: 'Buscar por nombre',
  scope: 'Puede',
  scopes: { read: 'Leer', send: 'Leer y enviar', full: 'Todo' },
  scopeHints: {
    read: 'mensajes, chats, grupos, contactos',
    send: 'también responder, editar, marcar',
    full: 'todo menos los tokens y el borrado de la instancia',
  },
  chats: 'Solo en estos chats',
  chatsHint: 'Números o ids, «groups» o «people», separados por comas. Vacío: todos los chats.',
  lifetime: 'Durante',
  lifetimes: { 1: 'un día', 30: '30 días', 90: '90 días', 365: 'un año' },
  endHint: 'Recibe un token propio, que puedes borrar en cualquier momento entre los tokens de la instancia.',
  allow: 'Permitir',
  refuse: 'Rechazar',
  goBack: (host) => `Volver a ${host}`,
  otherToken: 'Usar otro token',
}
