// Makes forms. A field shows the value that was sent, and its problem. A form has a password field
// where the API asks for the password again.
import { randomUUID } from 'node:crypto'
import { findCurrency } from '../values/money/currency.ts'
import { parseMajor } from '../values/money/decimal.ts'
import { type Content, type Html, html } from '../values/text/html.ts'
import { ApiError, type JsonObject } from './api.ts'
import { inWords } from './labels.ts'
import { words } from './show.ts'
import type { Visit } from './visit.ts'

export interface Field {
  readonly name: string
  readonly label: string
  readonly hint?: Content
  readonly value?: string
  readonly type?: 'text' | 'date' | 'datetime-local' | 'url'
  readonly required?: boolean
  /** The label of each value. */
  readonly options?: Readonly<Record<string, string>>
  /** Of a text area; without it the field has one line. */
  readonly rows?: number
  /** The request's member whose problem the field shows, if it is not `name`. */
  readonly member?: string
}

export function field(visit: Visit, spec: Field): Html {
  const value = visit.form.get(spec.name) ?? spec.value ?? ''
  const problem = problemOf(visit.formError, spec.member ?? spec.name)
  const id = idOf(visit, spec.name)
  const described = [spec.hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean)
  const attributes = html` id="${id}" name="${spec.name}"${spec.required && html` required`}${
    problem && html` aria-invalid="true"`
  }${described.length > 0 && html` aria-describedby="${described.join(' ')}"`}`
  return html`<div class="field"><label for="${id}">${spec.label}</label>
${control(spec, value, attributes)}
${spec.hint && html`<small id="${id}-hint">${spec.hint}</small>`}
${problem && html`<small class="problem" id="${id}-problem">${problem}</small>`}</div>`
}

export function fields(visit: Visit, specs: readonly (Field | false)[]): Content {
  return specs.map(spec => spec && html`${field(visit, spec)}\n`)
}

/** How often each name of a field occurs on the page. */
const nameCounts = new WeakMap<Visit, Map<string, number>>()

/** No other element of the page has it. */
function idOf(visit: Visit, name: string): string {
  const counts = nameCounts.get(visit) ?? new Map<string, number>()
  nameCounts.set(visit, counts)
  const count = (counts.get(name) ?? 0) + 1
  counts.set(name, count)
  return `f-${name.replace(/[^A-Za-z0-9]/g, '-')}${count === 1 ? '' : `-${count}`}`
}

function control(spec: Field, value: string, attributes: Html): Html {
  if (spec.options !== undefined) {
    return html`<select${attributes}>${Object.entries(spec.options).map(
      ([option, name]) =>
        html`<option value="${option}"${option === value && html` selected`}>${name}</option>`,
    )}</select>`
  }
  if (spec.rows !== undefined) {
    return html`<textarea${attributes} rows="${spec.rows}" spellcheck="false">${value}</textarea>`
  }
  const type = spec.type ?? 'text'
  return html`<input${attributes} type="${type}" value="${value}" autocomplete="off">`
}

/** Also about a member inside it; '' for none. */
function problemOf(error: ApiError | null, member: string): string {
  if (error === null) return ''
  const own = error.problems.filter(
    ({ remarks }) => remarks === member || remarks.startsWith(`${member}.`),
  )
  return own.map(({ message }) => message).join(' ')
}

/** Where the page would otherwise show the answer. */
export function problemList({ problems }: ApiError): Html {
  return html`<div class="note bad" role="alert"><ul>${problems.map(
    ({ message }) => html`<li>${message}</li>`,
  )}</ul></div>`
}

export interface FormSpec {
  /** For fields that are outside of the form. */
  readonly id?: string
  readonly action: string
  readonly button: string
  /** The page does not show them. */
  readonly hidden?: Readonly<Record<string, string>>
  readonly body?: Content
  readonly fields?: readonly (Field | false)[]
  /** Without it the form is open. */
  readonly under?: string
  /** Whether the API refuses a session that gave no password in the last five minutes. */
  readonly asksPassword?: boolean
  readonly danger?: boolean
  /** Whether the button stands in a line with other buttons. */
  readonly small?: boolean
  /** Whether the button has the focus: the key Enter sends the form. */
  readonly focused?: boolean
}

/** It acts once: the Idempotency-Key is the same each time the browser sends it. */
export function postForm(visit: Visit, spec: FormSpec): Html {
  const isNeeded = spec.asksPassword === true || visit.formError?.is('password_needed') === true
  const asksNow = isNeeded && visit.session !== null && !visit.session.confirmed
  const tone = spec.danger === true ? 'danger' : spec.small === true ? 'quiet' : 'main'
  const hidden = Object.entries(spec.hidden ?? {}).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  const style = spec.small ? 'line' : 'block'
  const id = spec.id && html` id="${spec.id}"`
  const form = html`<form method="post" action="${spec.action}" class="${style}"${id}>
<input type="hidden" name="key" value="${keyOf(visit)}">
${hidden}${spec.body}${fields(visit, spec.fields ?? [])}
${asksNow && proofField(visit)}
<button class="${tone}"${spec.focused && html` autofocus`}>${spec.button}</button></form>`
  return spec.under === undefined
    ? form
    : html`<details${isRefused(visit, spec) && html` open`}><summary>${spec.under}</summary>
${form}</details>`
}

/** Whether this form was sent, and refused. */
export function isRefused(
  { formError, here }: Visit,
  { action }: Pick<FormSpec, 'action'>,
): boolean {
  return formError !== null && here.split('?', 1)[0] === action.split('?', 1)[0]
}

/** Who logs in at the provider has no password: the person proves it there, and comes back. */
function proofField({ session, root, request, here }: Visit): Html {
  if (session?.by_provider === true) {
    const next = request.method === 'GET' ? here : root
    const query = new URLSearchParams({ again: '1', next })
    return html`<p class="field"><a href="/login/provider?${query.toString()}">Log in again</a>
first: this needs a log-in of the last minutes.</p>`
  }
  return html`<div class="field"><label>Your password
<input type="password" name="password" autocomplete="current-password" required></label></div>`
}

export function post<T = JsonObject>(visit: Visit, path: string, body: object): Promise<T> {
  return visit.api.post<T>(path, body, visit.form.get('key') ?? '')
}

/** '' when the form has none. */
export function fieldText({ form }: Visit, name: string): string {
  return form.get(name)?.trim() ?? ''
}

/** A refusal names members by their labels. */
export async function inLabels<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const labelled = error.problems.map(problem => {
      return { ...problem, message: inWords(problem.message) }
    })
    throw new ApiError(error.status, labelled)
  }
}

/** A hidden field of a form that changes an object: the state that the form shows. */
export function seenOf({ updated_at }: JsonObject): Readonly<Record<string, string>> {
  return typeof updated_at === 'string' ? { seen: updated_at } : {}
}

/** Refuses (409) a form that shows an older state: it would act on what nobody has seen. */
export function checkUnchanged(
  visit: Visit,
  { updated_at }: JsonObject,
  message = 'Somebody has changed this since you opened the form. Open the page again to see the ' +
    'change, or save once more to keep what this form shows.',
): void {
  if (fieldText(visit, 'seen') === updated_at) return
  throw new ApiError(409, [{ reason: 'approval_outdated', message, remarks: '' }])
}

export const REASON: Field = { name: 'reason', label: 'Reason', required: true }

export const emptyBody = () => ({})

export function reasonOf(visit: Visit): object {
  return { reason: fieldText(visit, 'reason') }
}

/** `1,234.50` as `1234.50`. */
export function ungrouped(amount: string): string {
  return amount.replace(/(?<=\d),(?=\d{3}(?:\D|$))/g, '')
}

/** 0 for text that is not one to nine digits. */
export function countOf(visit: Visit, name: string): bigint {
  return BigInt(/^\d{1,9}$/.exec(fieldText(visit, name))?.[0] ?? '0')
}

/** In minor units of the form's currency. Refuses (400) text that is none. */
export function amountOf(
  visit: Visit,
  amount_field = 'amount',
  currency_field = 'currency',
): { readonly amount: bigint; readonly currency: string } {
  const currency = fieldText(visit, currency_field)
  return { amount: minorOf(visit, amount_field, currency), currency }
}

/** Minor units of the currency, from a field. Refuses (400) text that is none, by `member`. */
export function minorOf(visit: Visit, name: string, currency: string, member = name): bigint {
  const text = ungrouped(fieldText(visit, name))
  const exponent = findCurrency(currency)?.exponent
  const amount = exponent === undefined ? undefined : parseMajor(text, exponent)
  if (amount !== undefined) return amount
  const message = `“${text}” is not an amount in ${currency}.`
  throw new ApiError(400, [{ reason: 'invalid_field', message, remarks: member }])
}

/** The page does not show calls whose answers have a secret. */
export function withUnlistedCalls(visit: Visit): Visit {
  return { ...visit, api: visit.api.unlisted() }
}

export function optionsOf(values: readonly string[]): Record<string, string> {
  return Object.fromEntries(values.map(value => [value, words(value)]))
}

/** After the option “Any” with the value ''. */
export function anyOf(values: readonly string[]): Record<string, string> {
  return { '': 'Any', ...optionsOf(values) }
}

/** After an answer of 500 or more the request may have written, so the key stays. */
function keyOf({ form, formError }: Visit): string {
  const sent = form.get('key')
  return sent !== null && (formError?.status ?? 0) >= 500 ? sent : randomUUID()
}

/** By path: `a.b` becomes `{a: {b}}`. Leaves out empty fields. */
export function bodyOf(form: URLSearchParams, names: readonly string[]): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const name of names) {
    const value = form.get(name)?.trim() ?? ''
    if (value !== '') setMember(body, name.split('.'), value)
  }
  return body
}

/** Makes the objects on the way. */
export function setMember(
  body: Record<string, unknown>,
  [first = '', ...rest]: readonly string[],
  value: unknown,
): void {
  let member = value
  if (rest.length > 0) {
    const inner = Object.hasOwn(body, first) ? body[first] : undefined
    member = typeof inner === 'object' && inner !== null ? inner : {}
    setMember(member as Record<string, unknown>, rest, value)
  }
  // An assignment to `__proto__` would set the prototype, and no member.
  const descriptor = { enumerable: true, configurable: true, writable: true }
  Object.defineProperty(body, first, { ...descriptor, value: member })
}
