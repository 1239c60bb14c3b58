// The answer to what a payout requires: addresses of documents, facts about the payee, and a note.
import { type Html, html } from '../../text/html.ts'
import { bodyOf, deed, field, post, said } from '../form.ts'
import type { Payout } from '../objects.ts'
import { may, type Visit } from '../visit.ts'

/** How many documents the form takes. The API takes more if a payout requires them. */
const DOCUMENTS = [0, 1, 2] as const
const PARTS = [
  ['type', 'Kind, such as invoice'],
  ['file_name', 'Name of the file'],
  ['url', 'Address of the file'],
] as const
const OF_PAYEE = [
  ['registration_number', 'Registration number of the payee'],
  ['tax_id', 'Tax id of the payee'],
  ['national_identification_number', 'National identification number of the payee'],
  ['date_of_birth', 'Date of birth of the payee'],
] as const

export function answerForm(visit: Visit, { id, status }: Payout): Html | '' {
  if (status !== 'requires_action') return ''
  if (!may(visit, 'maker')) return html`<p>It waits for an answer of a maker of this account.</p>`
  return html`<h2>Answer</h2>${deed(visit, {
    action: `${visit.root}/payouts/${id}/answer`,
    button: 'Send the answer',
    body: html`${DOCUMENTS.map(n => documentFields(visit, n))}
<details><summary>Of the payee and the payment</summary>${OF_PAYEE.map(([name, label]) =>
      field(visit, {
        name: `beneficiary_details.${name}`,
        label,
        type: name === 'date_of_birth' ? 'date' : 'text',
      }),
    )}${field(visit, { name: 'transaction_description', label: 'Description of the payment' })}
</details>
${field(visit, { name: 'note', label: 'Note, for people' })}`,
  })}`
}

function documentFields(visit: Visit, n: number): Html {
  const fields = PARTS.map(([name, label]) =>
    field(visit, {
      name: `document:${n}:${name}`,
      member: `documents.${n}.${name}`,
      label,
    }),
  )
  const first = n === 0
  return html`<details${first && html` open`}><summary>Document ${n + 1}</summary>
<div class="row">${fields}</div></details>`
}

/** Sends the answer; returns the path to go to. */
export async function answer(visit: Visit): Promise<string> {
  const { id } = visit.params
  const documents = DOCUMENTS.map(n =>
    Object.fromEntries(
      PARTS.map(([name]) => [name, said(visit, `document:${n}:${name}`)]).filter(
        ([, value]) => value,
      ),
    ),
  ).filter(document => Object.keys(document).length > 0)
  const members = OF_PAYEE.map(([name]) => `beneficiary_details.${name}`)
  const body = {
    ...bodyOf(visit.form, [...members, 'transaction_description', 'note']),
    ...(documents.length > 0 && { documents }),
  }
  await post(visit, `/v3/payout/${id}/action`, body)
  return `${visit.root}/payouts/${id}?done=answered`
}
