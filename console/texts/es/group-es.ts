// The texts of the tab “Groups”, in Spanish.

import type { groups as english } from '../en/group-texts.ts'

export const groups: typeof english = {
  create: 'Nuevo grupo',
  refresh: 'Recargar desde la red',
  none: 'Esta cuenta no está en ningún grupo.',
  members: (count) => (count === 1 ? '1 miembro' : `${count} miembros`),
  admin: 'Administrador',
  name: 'Nombre',
  rename: 'Cambiar el nombre',
  numbers: 'Miembros',
  numbersHint: 'Números con prefijo del país, separados por comas.',
  picture: 'Foto',
  setPicture: 'Poner la foto',
  removePicture: 'Quitar la foto',
  promote: 'Hacer administrador',
  demote: 'Quitar como administrador',
  remove: 'Quitar',
  add: 'Añadir un número',
  addConfirm: 'Añadir',
  refused: (who, code) => `${who}: la red lo rechazó (${code}).`,
}
