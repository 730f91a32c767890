// The chapter on deliveries: their headers, verification and retries, and the envelope of each event with samples.

import { deliveries, deliveryHeaders } from '../delivery-section.ts'
import type { Delivery } from '../documented-delivery.ts'
import { listFields } from '../field-words.ts'
import { toJsonSchema } from '../json-schemas.ts'
import type { ShownSchemas } from '../shown-schemas.ts'
import { renderAlternatives, renderCodeBlock } from './code-blocks.ts'
import { renderFieldTable } from './field-table.ts'
import { renderSchedule, renderVerification } from './guides.ts'
import { type Html, html, renderInline } from './html.ts'

export const eventAnchor = (name: string): string => `on_${name}`

export const renderDeliveries = (schemas: ShownSchemas): Html => html`<article id="deliveries">
  <h2><a href="#deliveries">Deliveries</a></h2>
  <p class="lead">The gateway posts one event per request to a webhook, as JSON. Check the signature, detect duplicates by <code>webhook-id</code>, and respond with 2xx once the event is stored.</p>
  <ul class="routes">${Object.entries(deliveries).map(
    ([name, { summary }]) =>
      html`<li><a href="#${eventAnchor(name)}"><b class="event">event</b><code>${name}</code><span>${renderInline(summary)}</span></a>`,
  )}</ul>
  <section class="record" id="delivery-headers" data-kind="Guides"><h3><a href="#delivery-headers">Headers of a delivery</a></h3>
  ${renderFieldTable(
    deliveryHeaders.map(({ name, says, required, schema }) => ({
      name,
      isRequired: required,
      schema: { ...schema, description: says },
    })),
    'gateway',
  )}</section>
  ${renderVerification()}
  ${renderSchedule()}
  ${Object.entries(deliveries).map(([name, delivery]) => renderDelivery(name, delivery, schemas))}
</article>`

const renderDelivery = (
  name: string,
  { summary, envelope, examples }: Delivery,
  schemas: ShownSchemas,
): Html => html`<section class="operation" id="${eventAnchor(name)}" data-kind="Events">
    <div class="told"><h3><a href="#${eventAnchor(name)}">${renderInline(summary)}</a></h3><p class="route"><b class="event">event</b> <code>${name}</code></p>
    ${renderFieldTable(listFields(schemas.resolveHere(toJsonSchema(envelope, 'output')), schemas), 'gateway')}</div>
    <div class="shown">${renderAlternatives(
      `samples-${name}`,
      Object.entries(examples).map(([title, value]) => ({ title, block: renderCodeBlock('Posted', value) })),
    )}</div>
  </section>`
