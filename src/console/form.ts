// Forms: fields with what was sent before and why it was refused, the key that makes a second click
// harmless, and the password where the API asks for it again.
import { randomUUID } from 'node:crypto'
import { findCurrency } from '../money/currency.ts'
import { parseMajor } from '../money/decimal.ts'
import { type Content, type Html, html } from '../text/html.ts'
import { ApiError, type JsonObject } from './api.ts'
import { words } from './show.ts'
import type { Visit } from './visit.ts'

export interface Field {
  readonly name: string
  readonly label: string
  readonly hint?: Content
  readonly value?: string
  readonly type?: 'text' | 'date' | 'datetime-local' | 'url'
  readonly required?: boolean
  /** A closed set of values, with their names. */
  readonly options?: Readonly<Record<string, string>>
  readonly rows?: number
  /** The member of the request whose problem is shown here, if it is not `name`. */
  readonly member?: string
}

export function field(visit: Visit, spec: Field): Html {
  const value = visit.form.get(spec.name) ?? spec.value ?? ''
  const problem = problemOf(visit.trouble, spec.member ?? spec.name)
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

/** How often each name is already on the page. */
const counted = new WeakMap<Visit, Map<string, number>>()

/** An id that no other element of the page has. */
function idOf(visit: Visit, name: string): string {
  const counts = counted.get(visit) ?? new Map<string, number>()
  counted.set(visit, counts)
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

/** The problems of a member or of its own members. */
function problemOf(error: ApiError | null, member: string): string {
  if (error === null) return ''
  const own = error.problems.filter(
    ({ remarks }) => remarks === member || remarks.startsWith(`${member}.`),
  )
  return own.map(({ message }) => message).join(' ')
}

/** What the API has said, in place of what was asked for. */
export function problemList({ problems }: ApiError): Html {
  return html`<div class="note bad" role="alert"><ul>${problems.map(
    ({ message }) => html`<li>${message}</li>`,
  )}</ul></div>`
}

export interface Deed {
  readonly action: string
  readonly button: string
  /** Values that are sent but not shown. */
  readonly hidden?: Readonly<Record<string, string>>
  /** Content above the fields. */
  readonly body?: Content
  readonly fields?: readonly (Field | false)[]
  /** The word under which the form is folded. */
  readonly under?: string
  /** Whether the API asks for a password that was given recently. */
  readonly asksPassword?: boolean
  readonly danger?: boolean
  /** Whether its button stands in a line with others. */
  readonly small?: boolean
}

/** A form whose act happens once, however often it is sent. */
export function deed(visit: Visit, spec: Deed): Html {
  const needed = spec.asksPassword === true || visit.trouble?.is('password_needed') === true
  const asks = needed && visit.session !== null && !visit.session.confirmed
  const tone = spec.danger === true ? 'danger' : spec.small === true ? 'quiet' : 'main'
  const hidden = Object.entries(spec.hidden ?? {}).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  const look = spec.small ? 'line' : 'deed'
  const form = html`<form method="post" action="${spec.action}" class="${look}">
<input type="hidden" name="key" value="${keyOf(visit)}">
${hidden}${spec.body}${fields(visit, spec.fields ?? [])}
${
  asks &&
  html`<div class="field"><label>Your password
<input type="password" name="password" autocomplete="current-password" required></label></div>`
}
<button class="${tone}">${spec.button}</button></form>`
  return spec.under === undefined
    ? form
    : html`<details><summary>${spec.under}</summary>${form}</details>`
}

/** A call of the API with the key of the form. */
export function post<T = JsonObject>(visit: Visit, path: string, body: object): Promise<T> {
  return visit.api.post<T>(path, body, visit.form.get('key') ?? '')
}

/** The form's value of a field; '' when it has none. */
export function said({ form }: Visit, name: string): string {
  return form.get(name)?.trim() ?? ''
}

export const REASON: Field = { name: 'reason', label: 'Why', required: true }

/** An empty body. */
export const nothing = () => ({})

/** The reason of the form, as the API takes it. */
export function reasonOf(visit: Visit): object {
  return { reason: said(visit, 'reason') }
}

/** `1,234.50` as `1234.50`. */
export function ungrouped(amount: string): string {
  return amount.replace(/(?<=\d),(?=\d{3}(?:\D|$))/g, '')
}

/** The number in the form, of at most nine digits; 0 when there is none. */
export function countOf(visit: Visit, name: string): bigint {
  return BigInt(/^\d{1,9}$/.exec(said(visit, name))?.[0] ?? '0')
}

/** The amount in the form, in minor units of its currency. Refuses text that is no amount. */
export function amountOf(visit: Visit): { readonly amount: bigint; readonly currency: string } {
  const currency = said(visit, 'currency')
  const text = ungrouped(said(visit, 'amount'))
  const exponent = findCurrency(currency)?.exponent
  const amount = exponent === undefined ? undefined : parseMajor(text, exponent)
  if (amount !== undefined) return { amount, currency }
  const message = `“${text}” is no amount of ${currency}.`
  throw new ApiError(400, [{ reason: 'invalid_field', message, remarks: 'amount' }])
}

/** The same visit without showing its calls: their answers have a secret. */
export function unseen(visit: Visit): Visit {
  return { ...visit, api: visit.api.quietly() }
}

/** Values as options, in words. */
export function named(values: readonly string[]): Record<string, string> {
  return Object.fromEntries(values.map(value => [value, words(value)]))
}

/** The same options, after one for any of them. */
export function anyOf(values: readonly string[]): Record<string, string> {
  return { '': 'Any', ...named(values) }
}

/**
 * The Idempotency-Key of the form. A refused request wrote nothing, so the form gets a new key. A
 * request without a clear answer may have been done, so the form keeps its key.
 */
function keyOf({ form, trouble }: Visit): string {
  const sent = form.get('key')
  return sent !== null && (trouble?.status ?? 0) >= 500 ? sent : randomUUID()
}

/** The members of a request by their paths: `a.b` is `{a: {b}}`. Empty fields are left out. */
export function bodyOf(form: URLSearchParams, names: readonly string[]): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const name of names) {
    const value = form.get(name)?.trim() ?? ''
    if (value !== '') setMember(body, name.split('.'), value)
  }
  return body
}

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
  // An assignment to `__proto__` would make no member.
  const makes = { enumerable: true, configurable: true, writable: true }
  Object.defineProperty(body, first, { ...makes, value: member })
}
