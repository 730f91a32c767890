// The texts of the page “Tokens”, in Spanish.

import type { tokens as english } from '../en/token-texts.ts'

export const tokens: typeof english = {
  description:
    'Un token para cada persona y cada programa, solo con los permisos necesarios. El token del entorno no aparece aquí: se cambia allí.',
  notAllowed: 'Tu token no puede gestionar tokens',
  notAllowedHint:
    'Solo un token con permisos de administración los lista, crea y elimina. Lo que puede hacer el tuyo se decidió al crearlo.',
  none: 'No hay ningún token de administración además del token del entorno.',
  noneHint: 'Crea uno para cada persona y programa, para poder anular cada uno por separado.',
  scoped: 'Tokens con alcance',
  scopedHint: 'Para un agente, un programa o una persona: cada uno con sus derechos, sus chats y su fin.',
  name: 'Nombre',
  nameHint: 'Quién o qué lo usa, por ejemplo «Panel».',
  scope: 'Permisos',
  scopes: { read: 'Consultar', operate: 'Operar', admin: 'Administrar' },
  scopeHints: {
    read: 've instancias, hosts y el registro de auditoría; ningún texto de mensajes',
    operate: 'además gestiona instancias, actúa por ellas y cambia webhooks',
    admin: 'todo, también los hosts de sesión y los tokens',
  },
  created: 'Creado',
  renewed: 'Renovado',
  expires: 'Caduca',
  never: 'nunca',
  expired: 'Caducado',
  actions: 'Acciones',
  create: 'Crear token',
  lifetime: 'Válido durante',
  lifetimes: { 30: '30 días', 90: '90 días', 365: 'un año', never: 'sin fin' },
  createdTitle: (name) => `El token «${name}»`,
  newValue: (name) => `El nuevo valor de «${name}»`,
  once: 'Cópialo ahora. Se muestra una sola vez: el servidor guarda solo un hash.',
  renew: 'Renovar',
  renewNamed: (name) => `Renovar ${name}`,
  renewQuestion: (name) => `¿Renovar «${name}»?`,
  renewHint:
    'Recibe un nuevo valor, con los mismos permisos y la misma caducidad. Si un valor más antiguo sigue vigente por una renovación anterior, deja de valer ahora. Si has entrado con este token, entra después con el nuevo valor.',
  oldValueEnds: 'El valor antiguo deja de valer',
  delete: 'Eliminar',
  deleteNamed: (name) => `Eliminar ${name}`,
  deleteQuestion: (name) => `¿Eliminar «${name}»?`,
  deleteHint:
    'Todo programa y toda persona con este token quedan rechazados al instante, y también esta consola si has entrado con él. No se puede deshacer.',
}
