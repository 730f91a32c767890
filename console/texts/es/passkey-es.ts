// The console's texts about passkeys, in Spanish.

import type { passkey as english } from '../en/passkey-texts.ts'

export const passkey: typeof english = {
  title: 'Esta cuenta exige una clave de acceso',
  description:
    'El teléfono aceptó este dispositivo. Antes de vincularlo, el dueño tiene que usar la clave de acceso de la cuenta.',
  use: 'Usar la clave de acceso',
  none: (site) =>
    `El navegador no devolvió ninguna clave de acceso: se canceló, o no hay ninguna para ${site} en este dispositivo.`,
  hereOnly: 'Un navegador no tiene claves de acceso para una dirección numérica. Abre esta página como:',
  elsewhere: (site) =>
    `La clave de acceso pertenece a ${site}: solo un navegador en ese sitio puede usarla. Esto no se probó con la red real.`,
  steps: (site) => [
    `En el ordenador que tiene la clave de acceso, abre https://${site} en Chrome, Edge o Firefox.`,
    'Allí pulsa F12 (en un Mac, ⌥ ⌘ I) y elige “Consola”. Pega esta línea, pulsa Intro y apruébalo con la clave de acceso. Si el navegador avisa antes, dice qué escribir para permitirlo.',
    'El resultado ya está en el portapapeles. Pégalo aquí:',
  ],
  extension: {
    title: 'Con la extensión del navegador',
    description:
      'Abre la página de la propia red, te pregunta allí si esta pasarela puede vincular la cuenta, y usa la llave de acceso. Necesita Chrome, Edge u otro navegador Chromium con la extensión «msgnet passkey».',
    open: 'Abrir la página de la red',
    otherwise: 'Sin la extensión',
    taken: {
      title: 'La llave de acceso se ha usado',
      hint: 'Continúa en la página donde empezaste. Puedes cerrar esta.',
    },
    notTaken: {
      title: 'Ninguna página espera esta llave de acceso',
      hint: 'Deja abierta la página donde empezaste y usa la llave de acceso otra vez desde allí.',
    },
  },
  pasted: 'La aserción, en JSON',
  send: 'Enviarla',
  noAssertion: 'Esto no es una aserción. Una aserción es JSON con id, rawId, type y response.',
  compare: 'Compara este código con el teléfono',
  compareHint: 'Si el teléfono muestra el mismo código, confírmalo allí. Si no, recházalo allí.',
  sent: 'La clave de acceso fue aceptada. Esperando al teléfono…',
  left: (time) => `quedan ${time}`,
  expired: 'El tiempo terminó.',
}
