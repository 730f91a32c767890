// The texts that every page of the console has, in Spanish.

import type { common as english } from '../en/common-texts.ts'

export const common: typeof english = {
  name: 'msgnet gateway',
  loading: 'Cargando…',
  close: 'Cerrar',
  cancel: 'Cancelar',
  copy: 'Copiar',
  copied: 'Copiado',
  save: 'Guardar',
  requestId: 'id de la solicitud',
  justNow: 'ahora mismo',
  search: 'Buscar',
  nav: {
    label: 'Páginas',
    instances: 'Instancias',
    instance: 'Instancia',
    webhook: 'Webhook del servidor',
    hosts: 'Hosts',
    health: 'Estado',
    laboratory: 'Laboratorio',
    docs: 'Documentación',
  },
}
