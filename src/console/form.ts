// Forms: fields with what was sent before and why it was refused, the key that makes a second click
// harmless, and the password where the API asks for it again.
import { randomUUID } from 'node:crypto'
import { type Content, type Html, html } from '../html.ts'
import type { ApiError, JsonObject } from './api.ts'
import { words } from './show.ts'
import type { Visit } from './visit.ts'

export interface Field {
  readonly name: string
  readonly label: string
  readonly hint?: Content
  readonly value?: string
  readonly type?: 'text' | 'search' | 'date' | 'datetime-local' | 'url' | 'number' | 'email'
  readonly required?: boolean
  /** A closed set of values, with their names. */
  readonly options?: readonly (readonly [string, string])[]
  readonly rows?: number
  /** The member of the request whose problem is shown here, when it is not `name`. */
  readonly member?: string
}

/** One field, with its label, its hint and its problem. */
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

/** How often each name stands on the page already. */
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
    return html`<select${attributes}>${spec.options.map(
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

/** The problems of a member or of what is in it. */
function problemOf(error: ApiError | null, member: string): string {
  if (error === null) return ''
  const own = error.problems.filter(
    ({ remarks }) => remarks === member || remarks.startsWith(`${member}.`),
  )
  return own.map(({ message }) => message).join(' ')
}

export interface Deed {
  readonly action: string
  readonly button: string
  readonly body?: Content
  /** Whether the API asks for a password that was given lately. */
  readonly asksPassword?: boolean
  readonly danger?: boolean
  /** Of a button that stands in a line with others. */
  readonly small?: boolean
}

/** A form that does something, once, however often it is sent. */
export function deed(visit: Visit, spec: Deed): Html {
  const needed = spec.asksPassword === true || visit.trouble?.is('password_needed') === true
  const asks = needed && visit.session !== null && !visit.session.confirmed
  const tone = spec.danger === true ? 'danger' : spec.small === true ? 'quiet' : 'main'
  return html`<form method="post" action="${spec.action}" class="${spec.small ? 'line' : 'deed'}">
<input type="hidden" name="key" value="${keyOf(visit)}">
${spec.body}
${
  asks &&
  html`<div class="field"><label>Your password
<input type="password" name="password" autocomplete="current-password" required></label></div>`
}
<button class="${tone}">${spec.button}</button></form>`
}

/** A question of the API, sent with the key of the form. */
export function post<T = JsonObject>(visit: Visit, path: string, body: object): Promise<T> {
  return visit.api.post<T>(path, body, visit.form.get('key') ?? '')
}

/** What the form says of a field; '' when it says nothing. */
export function said({ form }: Visit, name: string): string {
  return form.get(name)?.trim() ?? ''
}

/** A field for why. */
export function reasonField(visit: Visit): Html {
  return field(visit, { name: 'reason', label: 'Why', required: true })
}

/** The same visit, whose calls the page does not show: their answers have a secret. */
export function unseen(visit: Visit): Visit {
  return { ...visit, api: visit.api.quietly() }
}

/** The names of values as options, after one that stands for any of them. */
export function anyOf(values: readonly string[]): [string, string][] {
  return [['', 'Any'], ...values.map((value): [string, string] => [value, words(value)])]
}

/**
 * The Idempotency-Key of the form. What was refused wrote nothing, so it is asked for anew; nobody
 * knows whether what got no clear answer was done, so that keeps its key.
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
  path: readonly string[],
  value: unknown,
): void {
  const [first = '', ...rest] = path
  if (rest.length === 0) {
    Object.defineProperty(body, first, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
    return
  }
  const inner = Object.hasOwn(body, first) ? body[first] : undefined
  const next = typeof inner === 'object' && inner !== null ? inner : {}
  setMember(next as Record<string, unknown>, rest, value)
  Object.defineProperty(body, first, {
    value: next,
    enumerable: true,
    configurable: true,
    writable: true,
  })
}
