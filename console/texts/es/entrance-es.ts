// The texts outside the console, in Spanish: the greeting, “not found”, and the sign-in.

import type { entrance as english } from '../en/entrance-texts.ts'

export const entrance: typeof english = {
  greeting: {
    title: 'Muchos teléfonos, una API.',
    description:
      'Este servidor vincula dispositivos a una red de mensajería, envía y recibe mensajes con ellos y entrega cada evento a tu webhook: firmado, en orden y sin pérdidas.',
    console: 'Abrir la consola',
    docs: 'Leer la documentación',
    checking: 'Comprobando el estado…',
    ready: 'Listo: el servidor y la base de datos responden.',
    notReady: 'No está listo: la base de datos no responde.',
    down: 'El servidor no responde.',
    first: 'Tres pasos',
    steps: [
      'Crea una instancia. Representa un dispositivo vinculado.',
      'Vincúlala con un código QR, como cualquier dispositivo a un teléfono.',
      'Envía y recibe mensajes, y define un webhook con la dirección de tu programa.',
    ],
  },
  notFound: {
    title: 'Aquí no hay nada.',
    description:
      'Ninguna página tiene esta dirección. Los programas reciben esta respuesta en JSON: 404 not_found.',
  },
  signIn: {
    title: 'Iniciar sesión',
    token: 'Token',
    hint: 'El token de administrador lo muestra todo; el de una instancia muestra solo esa instancia.',
    where: 'npm start guarda el token de administrador en su carpeta de datos: .data/admin-token',
    remember: 'Mantener la sesión iniciada en este equipo',
    rememberHint: 'El token se guarda en este navegador. Si no, se borra al cerrar la página.',
    wrong: 'Este token es desconocido. Comprueba si le falta algún carácter al final.',
    ended: 'Tu token ya no es válido: se eliminó, se reemplazó o caducó. Entra con uno válido.',
    out: 'Cerrar sesión',
  },
}
