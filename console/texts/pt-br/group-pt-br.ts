// The texts of the tab “Groups”, in Brazilian Portuguese.

import type { groups as english } from '../en/group-texts.ts'

export const groups: typeof english = {
  create: 'Novo grupo',
  refresh: 'Recarregar da rede',
  none: 'Esta conta não está em nenhum grupo.',
  members: (count) => (count === 1 ? '1 membro' : `${count} membros`),
  admin: 'Admin',
  name: 'Nome',
  rename: 'Renomear',
  numbers: 'Membros',
  numbersHint: 'Números com código do país, separados por vírgulas.',
  picture: 'Foto',
  setPicture: 'Definir a foto',
  removePicture: 'Remover a foto',
  promote: 'Tornar admin',
  demote: 'Retirar de admin',
  remove: 'Remover',
  add: 'Adicionar um número',
  addConfirm: 'Adicionar',
  refused: (who, code) => `${who}: a rede recusou (${code}).`,
}
