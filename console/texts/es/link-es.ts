// The texts of one-time links, in Spanish.

import type { links as englishLinks, linkPage as englishPage } from '../en/link-texts.ts'

export const links: typeof englishLinks = {
  send: 'Enviar un enlace',
  titles: {
    device: 'Enviar un enlace a la persona con el teléfono',
    webhooks: 'Enviar un enlace a quien recibe los webhooks',
  },
  hints: {
    device:
      'Quien abre el enlace puede vincular un teléfono a esta instancia, y nada más. Termina cuando se vincula un teléfono.',
    webhooks:
      'Quien abre el enlace ve cómo van estos webhooks y qué falló, los prueba y vuelve a entregar eventos. No se muestra ningún mensaje ni se puede cambiar ningún ajuste.',
  },
  lifetime: 'Termina después de',
  lifetimes: { 900: '15 minutos', 3600: '1 hora', 86400: '1 día' },
  language: 'Idioma de la página',
  languages: { '': 'El del navegador', en: 'English', 'pt-BR': 'Português', es: 'Español' },
  create: 'Crear el enlace',
  created: 'El enlace. Se muestra una sola vez:',
  qrAlt: 'Código QR con el enlace',
  active: 'Enlaces que se pueden usar',
  ends: (time) => `termina ${time}`,
  delete: 'Terminarlo',
  activeHint:
    'La dirección de un enlace solo se muestra al crearlo: solo se guarda un hash. Si se perdió, crea otro y termina el anterior.',
  another: 'Crear otro',
}

export const linkPage: typeof englishPage = {
  title: 'Vincula tu teléfono',
  intro: (name) => `Tu teléfono se vinculará a «${name}».`,
  until: (time) => `Esta página funciona hasta ${time}.`,
  offline: 'El servidor no responde. La página vuelve a intentarlo sola.',
  ended: 'Este enlace ha terminado',
  endedHint: 'Caducó o fue retirado. Pide uno nuevo a quien te lo envió.',
  linked: 'Tu teléfono está vinculado',
  linkedHint: 'Ya puedes cerrar esta página. El enlace dejó de funcionar.',
  method: 'Cómo vincular',
  methods: { code: 'En este teléfono, con un código', qr: 'Desde otra pantalla, con un código QR' },
  phone: 'Tu número de teléfono',
  phoneHint: 'Con el prefijo del país, por ejemplo +34 612 345 678.',
  qrHint: 'Abre esta página en otra pantalla, para que el teléfono pueda escanearla.',
  get: { code: 'Obtener un código', qr: 'Mostrar un código QR' },
  otherNumber: 'Usar otro número',
  requesting: 'Pidiendo un código a la red…',
  qrAlt: 'Código QR para escanear con tu teléfono',
  refreshes: (seconds) => `Código nuevo en ${seconds} s`,
  codeEnds: (seconds) => `Válido durante ${seconds} s`,
  renewing: 'Esperando el próximo código…',
  steps: {
    code: [
      'Abre la aplicación de mensajes en este teléfono y, en ella, «Dispositivos vinculados».',
      'Toca «Vincular dispositivo» y luego «Vincular con el número de teléfono».',
      'Escribe el código.',
    ],
    qr: [
      'Abre la aplicación de mensajes en tu teléfono y, en ella, «Dispositivos vinculados».',
      'Toca «Vincular dispositivo».',
      'Apunta la cámara al código QR.',
    ],
  },
  reasons: {
    '': '',
    logged_out: 'El teléfono quitó este dispositivo. Puedes vincularlo de nuevo.',
    replaced: 'Otra sesión ocupó el lugar de esta. Puedes vincular de nuevo.',
    banned: 'La red bloqueó esta cuenta.',
    pairing_expired: 'El código no se usó a tiempo o se rechazó en el teléfono. Pide uno nuevo.',
    passkey_required: 'La cuenta exige una clave de acceso y no se usó ninguna a tiempo. Inténtalo de nuevo.',
    unreachable: 'No se pudo llegar a la red. Inténtalo de nuevo en un momento.',
    by_request: 'La vinculación se detuvo. Puedes empezar de nuevo.',
    bad_session: 'La red terminó la última sesión. Puedes vincular de nuevo.',
    outdated: 'Ahora mismo la red rechaza este servidor. Avisa a quien te envió el enlace.',
  },
  refusals: {
    unreachable: 'El servidor no responde. Comprueba tu conexión e inténtalo de nuevo.',
    invalid_phone: 'Revisa el número: son de 8 a 15 dígitos, con el prefijo del país.',
    rate_limited: 'Demasiados intentos. Espera un minuto e inténtalo de nuevo.',
    worker_full: 'El servidor está lleno ahora mismo. Inténtalo de nuevo en unos minutos.',
    operation_refused: 'La red rechazó este número. Revísalo e inténtalo de nuevo.',
    session_conflict: 'Se acaba de vincular un teléfono.',
    other: 'No funcionó. Inténtalo de nuevo en un momento.',
  },
}
