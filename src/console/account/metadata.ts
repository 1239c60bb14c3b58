// The metadata of a payout: a form to change it, and what the form says as the API takes it.
import { type Html, html } from '../../html.ts'
import { deed, field, said } from '../form.ts'
import type { Payout } from '../objects.ts'
import { may, type Visit } from '../visit.ts'

const PREFIX = 'metadata:'

/** For makers, in whatever state the payout is. */
export function metadataForm(visit: Visit, { id, metadata }: Payout): Html | '' {
  if (!may(visit, 'maker')) return ''
  const known = Object.entries(metadata ?? {}).map(([name, text]) =>
    field(visit, { name: PREFIX + name, label: name, value: String(text) }),
  )
  return html`<details><summary>Change the metadata</summary>${deed(visit, {
    action: `${visit.root}/payouts/${id}/metadata`,
    button: 'Save the metadata',
    body: html`${known}
${field(visit, { name: 'name', label: 'One more name', hint: 'An empty text takes a name away.' })}
${field(visit, { name: 'text', label: 'Its text', member: 'metadata' })}`,
  })}</details>`
}

export async function changeMetadata(visit: Visit): Promise<string> {
  const { form, params } = visit
  const sent = [...form].flatMap(([name, text]) =>
    name.startsWith(PREFIX) ? [[name.slice(PREFIX.length), text] as const] : [],
  )
  const name = said(visit, 'name')
  const added = name === '' ? [] : [[name, form.get('text') ?? ''] as const]
  const metadata = Object.fromEntries([...sent, ...added])
  await visit.api.send('PUT', `/v3/payout/${params.id}`, { metadata })
  return `${visit.root}/payouts/${params.id}?done=changed`
}
