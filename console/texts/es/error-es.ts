// The texts of errors, by the code of the API, in Spanish.

import type { errors as english } from '../en/error-texts.ts'

export const errors: typeof english = {
  unreachable: 'El gateway no respondió. ¿Está en marcha?',
  part_not_loaded: 'No se pudo cargar esta parte de la consola. Si vuelve a ocurrir, recarga la página.',
  unauthorized: 'El token ya no es válido. Inicia sesión de nuevo.',
  not_connected: 'La instancia no está conectada. Vincúlala primero o espera a que vuelva.',
  session_conflict: 'La sesión no puede hacer esto en su estado actual.',
  worker_full: 'Ningún host de sesiones tiene un lugar libre.',
  rate_limited: 'Demasiadas solicitudes en poco tiempo. Espera un poco e inténtalo de nuevo.',
  storage_unavailable: 'La base de datos no respondió. No se cambió nada: inténtalo de nuevo.',
  msgnet_unreachable: 'No se pudo alcanzar la red de mensajería o el host de esta sesión.',
  outcome_unknown:
    'La red no respondió a tiempo. La solicitud puede haber tenido efecto: no la envíes de nuevo. El resultado se muestra cuando se conoce.',
  not_on_network: 'Este número no tiene cuenta en la red.',
  operation_refused: 'La red lo rechazó.',
  media_unavailable: 'No se pudo descargar el archivo.',
  webhooks_disabled: 'Los webhooks están desactivados en este servidor.',
  body_too_large: 'La solicitud es demasiado grande.',
  internal: 'Ocurrió un error inesperado. El registro tiene los detalles con el id de la solicitud.',
  not_in_group: 'La cuenta vinculada no está en el grupo.',
  not_admin: 'La cuenta vinculada no es administradora del grupo.',
  calls_not_supported: 'El módulo de llamadas está desactivado en este servidor.',
  insufficient_scope: 'Tu token no tiene permisos para esto. Entra con uno que los tenga.',
}
