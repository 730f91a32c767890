// The Spanish texts of the page with the webhooks of one instance.

import type { portal as english } from '../en/portal-texts.ts'

export const portal: typeof english = {
  title: 'Tus webhooks',
  intro: (name) => `Cómo llegan a tu servidor los eventos de «${name}».`,
  none: 'Ahora mismo ningún webhook recibe eventos.',
  stopped: 'No se envía nada hasta que se guarde de nuevo el webhook. Pídeselo a quien te envió este enlace.',
}
