// The form with which a maker answers a payout in `requires_action`: addresses of documents, facts
// about the payee, and a note.
import { type Html, html } from '../../values/text/html.ts'
import { bodyOf, field, fieldText, post, postForm } from '../form.ts'
import type { Payout } from '../objects.ts'
import { may, type Visit } from '../visit.ts'

/** The numbers of the form's documents. The API takes up to 20. */
const DOCUMENT_NUMBERS = [0, 1, 2] as const
const DOCUMENT_FIELDS = [
  ['type', 'Type, such as invoice'],
  ['file_name', 'File name'],
  ['url', 'Address (URL) of the file'],
] as const
const PAYEE_FIELDS = [
  ['registration_number', 'Registration number of the payee'],
  ['tax_id', 'Tax id of the payee'],
  ['national_identification_number', 'National identification number of the payee'],
  ['date_of_birth', 'Date of birth of the payee'],
] as const

export function answerForm(visit: Visit, { id, status }: Payout): Html | '' {
  if (status !== 'requires_action') return ''
  if (!may(visit, 'maker'))
    return html`<p>This payout waits for an answer from a maker of
this account.</p>`
  return html`<h2>Answer</h2>${postForm(visit, {
    action: `${visit.root}/payouts/${id}/answer`,
    button: 'Send the answer',
    body: html`${DOCUMENT_NUMBERS.map(n => documentFields(visit, n))}
<details><summary>Details of the payee and the payment</summary>${PAYEE_FIELDS.map(
      ([name, label]) =>
        field(visit, {
          name: `beneficiary_details.${name}`,
          label,
          type: name === 'date_of_birth' ? 'date' : 'text',
        }),
    )}${field(visit, { name: 'transaction_description', label: 'Description of the payment' })}
</details>
${field(visit, { name: 'note', label: 'Note (optional)' })}`,
  })}`
}

function documentFields(visit: Visit, n: number): Html {
  const fields = DOCUMENT_FIELDS.map(([name, label]) =>
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

/** Sends the answer; returns the path to redirect to. */
export async function answer(visit: Visit): Promise<string> {
  const { id } = visit.params
  const documents = DOCUMENT_NUMBERS.map(n =>
    Object.fromEntries(
      DOCUMENT_FIELDS.map(([name]) => [name, fieldText(visit, `document:${n}:${name}`)]).filter(
        ([, value]) => value,
      ),
    ),
  ).filter(document => Object.keys(document).length > 0)
  const members = PAYEE_FIELDS.map(([name]) => `beneficiary_details.${name}`)
  const body = {
    ...bodyOf(visit.form, [...members, 'transaction_description', 'note']),
    ...(documents.length > 0 && { documents }),
  }
  await post(visit, `/v3/payout/${id}/action`, body)
  return `${visit.root}/payouts/${id}?done=answered`
}
